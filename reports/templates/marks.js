"use strict";
// Names of the marks of a chart: of the one nearest to the pointer, and of one after the other with the arrow keys when the chart has the focus.
(() => {
  const NEAR = 18; // pixels
  const note = document.createElement("div");
  note.className = "note";
  note.hidden = true;
  note.setAttribute("role", "status");
  document.body.append(note);
  let here = null;
  const hide = () => {
    if (here) here.classList.remove("here");
    here = null;
    note.hidden = true;
  };
  const show = (mark) => {
    if (mark === here) return;
    hide();
    here = mark;
    mark.classList.add("here");
    note.textContent = mark.dataset.name;
    note.hidden = false;
    place();
  };
  const place = () => {
    const at = here.getBoundingClientRect();
    const size = note.getBoundingClientRect();
    const above = at.top - size.height - 8;
    note.style.left = Math.max(4, Math.min(innerWidth - size.width - 4, (at.left + at.right - size.width) / 2)) + "px";
    note.style.top = (above < 4 ? at.bottom + 8 : above) + "px";
  };
  const far = (mark, x, y) => {
    const at = mark.getBoundingClientRect();
    return Math.hypot(Math.max(at.left - x, 0, x - at.right), Math.max(at.top - y, 0, y - at.bottom));
  };
  document.querySelectorAll(".chart [role=img]").forEach((box) => {
    const named = [...box.querySelectorAll(".mark")];
    if (!named.length) return;
    named.forEach((mark) => { // the browser's own way of showing a title would come on top
      const title = mark.querySelector("title");
      mark.dataset.name = title.textContent;
      title.remove();
    });
    const visible = () => named.filter((mark) => mark.getClientRects().length);
    box.tabIndex = 0;
    box.setAttribute("aria-label", box.getAttribute("aria-label") + " The arrow keys name each mark.");
    box.addEventListener("pointermove", (event) => {
      const [nearest] = visible().map((mark) => [far(mark, event.clientX, event.clientY), mark]).sort((a, b) => a[0] - b[0]);
      if (nearest && nearest[0] <= NEAR) show(nearest[1]);
      else hide();
    });
    box.addEventListener("pointerleave", hide);
    box.addEventListener("blur", hide);
    box.addEventListener("keydown", (event) => {
      const marks = visible();
      const at = marks.indexOf(here);
      const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at < 0 ? marks.length - 1 : at - 1, ArrowUp: at < 0 ? marks.length - 1 : at - 1, Home: 0, End: marks.length - 1 }[event.key];
      if (event.key === "Escape") hide();
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      show(marks[(next + marks.length) % marks.length]);
    });
  });
  addEventListener("scroll", () => { if (here) place(); }, { passive: true });
})();
