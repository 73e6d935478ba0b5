"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("on");
  const all = (selector, from) => [...(from || document).querySelectorAll(selector)];

  // Light, dark, or as the system says; remembered where the browser allows it.
  const button = document.querySelector(".theme");
  const themes = ["system", "light", "dark"];
  let theme = "system";
  const show = () => {
    if (theme === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    button.textContent = "Theme: " + theme;
  };
  try { theme = localStorage.getItem("terrors-theme") || theme; } catch (_) { /* a file share may have no storage */ }
  if (!themes.includes(theme)) theme = "system";
  show();
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("terrors-theme", theme); } catch (_) { /* then it is not remembered */ }
    show();
  });

  // The table of contents follows; on a small screen it begins folded.
  const contents = document.querySelector(".toc details");
  const broad = matchMedia("(min-width: 75rem)");
  const fold = () => { contents.open = broad.matches; };
  broad.addEventListener("change", fold);
  fold();
  const links = all(".toc a");
  const places = links.map((link) => document.querySelector(link.getAttribute("href")));
  const follow = () => {
    let at = 0;
    places.forEach((place, i) => { if (place && place.getBoundingClientRect().top < innerHeight * 0.35) at = i; });
    if (innerHeight + scrollY >= root.scrollHeight - 4) at = places.length - 1;
    links.forEach((link, i) => i === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; follow(); }); }
  }, { passive: true });
  follow();
  links.forEach((link) => link.addEventListener("click", () => { if (!broad.matches) contents.open = false; }));

  // Sorting: a click on a heading, numbers from the largest on, empty cells last.
  const key = (cell) => cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.classList.contains("n") ? null : (cell.querySelector("bdi") || cell).textContent.trim();
  const empty = (value) => value === null || value === "";
  const sort = (table, column, heading) => {
    const body = table.tBodies[0];
    const numbers = all("tr", body).some((row) => row.cells[column].dataset.v !== undefined);
    const before = heading.getAttribute("aria-sort");
    const up = before ? before === "descending" : !numbers;
    all("th", table.tHead).forEach((th) => th.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = all("tr", body).map((row, i) => [key(row.cells[column]), i, row]);
    rows.sort(([a, i], [b, j]) => {
      if (empty(a) || empty(b)) return empty(a) - empty(b) || i - j;
      const order = typeof a === "number" ? a - b : a.localeCompare(b);
      return (up ? order : -order) || i - j;
    });
    body.append(...rows.map(([, , row]) => row));
  };
  all("table.sortable").forEach((table) => all("thead th", table).forEach((heading, column) => {
    const inside = document.createElement("button");
    inside.type = "button";
    inside.append(...heading.childNodes);
    heading.append(inside);
    inside.addEventListener("click", () => sort(table, column, heading));
  }));

  // A table that is wider than the screen says so, until somebody has been at its end.
  const ARROW = "http:" + "//www.w3.org/2000/svg";
  all(".scroll").forEach((box) => {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.hidden = true;
    const arrow = document.createElementNS(ARROW, "svg");
    arrow.setAttribute("viewBox", "0 0 28 16");
    arrow.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(ARROW, "path");
    Object.entries({ d: "M1 8h25M20 2l6 6-6 6", fill: "none", stroke: "currentColor", "stroke-width": 2 }).forEach(([name, value]) => line.setAttribute(name, value));
    arrow.append(line);
    hint.append("Scroll sideways for more columns", arrow);
    box.before(hint);
    const look = () => { hint.hidden = box.scrollWidth <= box.clientWidth + 2 || box.scrollLeft + box.clientWidth >= box.scrollWidth - 2; };
    new ResizeObserver(look).observe(box);
    box.addEventListener("scroll", look, { passive: true });
  });

  // Filters: a row is shown that all of a table's filters let through.
  const filters = all("[data-filter]");
  const passes = (row, filter) => {
    const wanted = filter.value.trim().toLowerCase();
    if (!wanted) return true;
    if (filter.dataset.filter === "text") return row.textContent.toLowerCase().includes(wanted);
    if (filter.dataset.filter === "note") return (row.querySelector(".name small")?.textContent.split(" · ")[0] || "").toLowerCase() === wanted;
    return all(".chip", row).some((chip) => chip.lastChild.textContent.trim().toLowerCase() === wanted);
  };
  const refresh = (id) => {
    const rows = all("#" + id + " tbody tr");
    const mine = filters.filter((filter) => filter.dataset.table === id);
    rows.forEach((row) => { row.hidden = !mine.every((filter) => passes(row, filter)); });
    const shown = rows.filter((row) => !row.hidden).length;
    document.querySelector("[data-count=" + id + "]").textContent = shown === rows.length ? rows.length + " cards" : shown + " of " + rows.length + " cards";
  };
  filters.forEach((filter) => filter.addEventListener("input", () => refresh(filter.dataset.table)));

  // What is folded is printed too, but for what is fine, and for what a chart says already: paper has no end of pages, and readers have.
  const folded = [];
  addEventListener("beforeprint", () => all("main details:not([open]):not(.rest, .screen)").forEach((one) => { one.open = true; folded.push(one); }));
  addEventListener("afterprint", () => folded.splice(0).forEach((one) => { one.open = false; }));
  // And a link into something folded opens it.
  const reveal = () => {
    let place = null;
    try { place = location.hash && document.querySelector(location.hash); } catch (_) { return; }
    for (let box = place && place.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    if (place) place.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
