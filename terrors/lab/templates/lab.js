"use strict";
// The state of the page: a list of edits, in the address; undo and redo; what is asked when it changes; Save.
(() => {
  const { data, by, make, name, ask, notice, confirm, label, sheet, answer } = Lab;
  let edits = []; // of {card, column, value}
  let undo = [];
  let redo = [];
  let chips = null; // what the server said to the edits
  let asked = 0;
  let timer = 0;
  const states = []; // every state that was asked about, the last one first: {edits, at}

  // The address: the version of the file, and each edit as CARD.COLUMN=TEXT.
  const address = (list) => "#" + [data.digest, ...list.map((edit) => encodeURIComponent(edit.card + "." + edit.column + "=" + edit.value))].join("&");
  const readAddress = () => {
    const [digest, ...parts] = location.hash.slice(1).split("&");
    const cards = data.groups.flatMap((group) => group.cards.map((card) => card.name));
    const found = [];
    parts.forEach((part) => {
      let text = "";
      try { text = decodeURIComponent(part); } catch (_) { return; }
      const card = cards.filter((one) => text.startsWith(one + ".")).sort((a, b) => b.length - a.length)[0];
      const rest = card === undefined ? null : text.slice(card.length + 1).match(/^(\w+)=([\s\S]*)$/);
      if (rest && data.columns.includes(rest[1])) found.push({ card, column: rest[1], value: rest[2] });
    });
    return { digest, found, lost: parts.filter(Boolean).length - found.length };
  };
  const keep = () => history.replaceState(null, "", edits.length ? address(edits) : location.pathname);
  const pack = (list) => list.map((edit) => [edit.card, edit.column, edit.value]);
  const words = (edit) => edit.card + " " + label(edit.column) + " " + (was(edit) || "nothing") + " → " + (edit.value || "nothing");
  const was = (edit) => sheet.rows.get(edit.card).card.cells[edit.column] || "";

  const showChips = () => {
    const wrong = (edit) => chips ? (chips.chips.find((one) => one.card === edit.card && one.column === edit.column && one.after === edit.value) || { problems: [] }).problems : [];
    const made = edits.map((edit) => {
      const problems = wrong(edit);
      return make("span", { class: "edit" + (problems.length ? " broken" : "") },
        make("span", {}, make("b", {}, name(edit.card)), " " + label(edit.column) + " ", make("bdi", {}, was(edit) || "nothing"), " → ", make("bdi", {}, edit.value || "nothing"), problems.length ? " (cannot be read: left out)" : ""),
        make("button", { type: "button", "aria-label": "take back: " + words(edit), title: "take back", onclick: () => change(edits.filter((one) => one !== edit)) }, "×"));
    });
    by("chips").replaceChildren(...(made.length ? made : [make("span", { class: "detail" }, "No edits yet: change a number or an ability below, and the games answer.")]));
    by("undo").disabled = !undo.length;
    by("redo").disabled = !redo.length;
    by("save").disabled = !edits.length || data.shipped;
    by("save").title = data.shipped ? "This is the set that ships with terrors; `terrors new my-game` makes one of your own." : "";
  };

  const showStates = () => {
    by("states").replaceChildren(...states.map((state, at) => make("li", { "aria-current": at === 0 ? "true" : null },
      make("a", { href: address(state.edits), onclick: (event) => { event.preventDefault(); change(state.edits); } }, state.edits.length ? state.edits.map(words).join("; ") : "the set as opened"),
      " ", make("small", {}, state.at))));
    const against = by("against");
    const chosen = against.value;
    against.replaceChildren(make("option", { value: "" }, "the set as opened"), ...states.filter((state) => state.edits.length).map((state) => make("option", { value: JSON.stringify(pack(state.edits)) }, state.edits.map(words).join("; ").slice(0, 80))));
    against.value = [...against.options].some((one) => one.value === chosen) ? chosen : "";
  };
  const remember = () => {
    const key = JSON.stringify(pack(edits));
    const at = states.findIndex((state) => JSON.stringify(pack(state.edits)) === key);
    if (at >= 0) states.splice(at, 1);
    states.unshift({ edits, at: new Date().toLocaleTimeString() });
    states.splice(50);
    try { sessionStorage.setItem("terrors-lab-states", JSON.stringify({ digest: data.digest, states })); } catch (_) { /* then a reload forgets them */ }
    showStates();
  };

  const question = async () => {
    const mine = ++asked;
    const body = { digest: data.digest, edits: pack(edits), against: JSON.parse(by("against").value || "[]"), pilot: by("pilot").value, until: Number(by("until").value) };
    document.documentElement.dataset.asked = mine;
    try {
      const said = await ask("ask", body);
      if (mine !== asked) return;
      chips = said;
      sheet.show(edits, said);
      showChips();
      if (said.warnings.length) notice("Worth a look: " + said.warnings.join(" "));
      answer.listen(said.question, location.hash);
    } catch (error) {
      if (mine === asked) notice(error.message);
    }
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(() => { remember(); question(); }, 120); };

  const become = (next) => {
    edits = next.filter((edit) => edit.value !== was(edit));
    keep();
    answer.stop();
    sheet.show(edits, null);
    showChips();
    later();
  };
  const change = (next) => {
    undo.push(edits);
    redo = [];
    become(next);
  };
  // Typing in one cell is one step of undo.
  let typing = "";
  const cell = (card, column, value) => {
    const others = edits.filter((edit) => edit.card !== card || edit.column !== column);
    const key = card + "\n" + column;
    if (typing !== key || !undo.length) { undo.push(edits); typing = key; }
    redo = [];
    become([...others, { card, column, value }]);
  };
  const back = () => { if (undo.length) { typing = ""; redo.push(edits); become(undo.pop()); } };
  const again = () => { if (redo.length) { typing = ""; undo.push(edits); become(redo.pop()); } };
  addEventListener("focusout", () => { typing = ""; });

  const save = async () => {
    const sure = await confirm("Write " + data.file + "?", [...edits.map(words), "The file as it is now is kept beside it."], "Save");
    if (!sure) return;
    try {
      const said = await ask("save", { digest: data.digest, edits: pack(edits) });
      data.digest = said.digest;
      history.replaceState(null, "", location.pathname);
      sessionStorage.setItem("terrors-lab", "Saved. The file as it was is kept as " + said.kept + ".");
      location.reload();
    } catch (error) { notice(error.message); }
  };
  const reload = async () => {
    try {
      const said = await ask("reload", {});
      history.replaceState(null, "", edits.length ? "#" + [said.digest, ...address(edits).split("&").slice(1)].join("&") : location.pathname);
      location.reload();
    } catch (error) { notice(data.file + " cannot be taken up: " + error.message); }
  };
  const look = async () => {
    if (document.hidden) return;
    try {
      const said = await ask("state");
      if (said.digest !== data.digest) notice(data.file + (said.digest ? " was changed on disk after it was opened here." : " is not there any more.") + " Your edits are kept.", said.digest ? reload : null, "Reload");
    } catch (_) { /* the next question will say it */ }
  };
  addEventListener("focus", look);
  setInterval(look, 3000);

  // Parts: one of them is shown at a time beside the answer.
  const parts = [...document.querySelectorAll("[data-part]")];
  const open = (id) => {
    parts.forEach((button) => {
      const here = button.dataset.part === id;
      by(button.dataset.part).hidden = !here;
      if (here) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    });
    document.dispatchEvent(new CustomEvent("lab-part", { detail: id }));
  };
  parts.forEach((button) => button.addEventListener("click", () => open(button.dataset.part)));
  document.querySelector("#pocket a").addEventListener("click", (event) => { event.preventDefault(); by("verdict").scrollIntoView(); });
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); by("verdict").scrollIntoView(); });

  addEventListener("keydown", (event) => {
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "z") { event.preventDefault(); (event.shiftKey ? again : back)(); }
    else if (control && event.key.toLowerCase() === "y") { event.preventDefault(); again(); }
    else if (control && event.key.toLowerCase() === "s") { event.preventDefault(); if (!by("save").disabled) save(); }
    else if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) { event.preventDefault(); by("find").focus(); }
  });
  by("undo").addEventListener("click", back);
  by("redo").addEventListener("click", again);
  by("save").addEventListener("click", save);
  by("stop").addEventListener("click", () => { if (answer.isOn()) answer.stop(); else question(); });
  ["pilot", "until", "against"].forEach((id) => by(id).addEventListener("change", question));

  const body = () => ({ digest: data.digest, edits: pack(edits), pilot: by("pilot").value });
  const add = (cells) => {
    const fresh = cells.map(([card, column, value]) => ({ card, column, value }));
    change([...edits.filter((edit) => !fresh.some((one) => one.card === edit.card && one.column === edit.column)), ...fresh]);
  };
  Object.assign(Lab, { add, open, body, edits: () => edits });
  by("report").addEventListener("click", () => {
    const told = by("report-told");
    by("report").disabled = true;
    told.textContent = "Playing …";
    Lab.errand({ ...body(), kind: "report" }, (text) => { told.textContent = text; by("report").disabled = false; },
      (result) => { by("report").disabled = false; told.replaceChildren(make("a", { href: "report/" + result.page, target: "_blank", rel: "noopener" }, "Open the report")); });
  });
  sheet.start(cell, (card) => document.dispatchEvent(new CustomEvent("lab-card", { detail: card })));
  const begin = () => {
    const from = readAddress();
    const told = sessionStorage.getItem("terrors-lab");
    sessionStorage.removeItem("terrors-lab");
    edits = from.found.filter((edit) => edit.value !== was(edit));
    if (from.lost) notice("Some edits of this address are of cards that are not in this file, and were left out.");
    else if (edits.length && from.digest !== data.digest) notice("This address was made with another version of " + data.file + "; its edits were made to the present one.");
    else if (told) notice(told);
    sheet.show(edits, null);
    try {
      const kept = JSON.parse(sessionStorage.getItem("terrors-lab-states"));
      if (kept && kept.digest === data.digest) states.push(...kept.states);
    } catch (_) { /* nothing was kept */ }
    showChips();
    remember();
    question();
  };
  addEventListener("hashchange", () => { const from = readAddress(); if (JSON.stringify(from.found) !== JSON.stringify(edits)) change(from.found); });
  begin();
})();
