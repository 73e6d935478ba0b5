"use strict";
// The sheet: a row a card, its numbers with steppers, its abilities as text. It says which cell was changed, and shows what the server says to each.
Lab.sheet = (() => {
  const { data, by, make, name, sign, label } = Lab;
  const NUMBERS = ["cost", "copies", "health"];
  const TEXTS = ["abilities", "triggers", "horde"];
  const REST = ["name", "faction", "left", "right", "pile", "type", "overlord", "beginner", "note"];
  const rows = new Map(); // by the card's name as opened
  let changed = () => {};
  let looked = () => {};

  const write = (row, column, value) => {
    const before = row.card.cells[column] || "";
    changed(row.card.name, column, value, before);
  };
  const field = (row, column, element) => {
    element.value = row.card.cells[column] || "";
    element.setAttribute("aria-label", row.card.name + ", " + label(column));
    element.dataset.column = column;
    element.addEventListener("input", () => write(row, column, element.value));
    element.addEventListener("keydown", (event) => keys(row, column, element, event));
    row.fields[column] = element;
    return element;
  };
  const step = (row, column, by_) => {
    const element = row.fields[column];
    const now = parseInt(element.value, 10);
    const [low, high] = data.ranges[column];
    const next = Number.isNaN(now) ? low : Math.max(low, Math.min(high, now + by_));
    element.value = String(next);
    write(row, column, element.value);
  };
  // ↑ and ↓ step a number; with Alt, and Enter, they go to the same cell of the next card that is shown.
  const keys = (row, column, element, event) => {
    const up = event.key === "ArrowUp";
    if ((up || event.key === "ArrowDown") && !event.altKey && NUMBERS.includes(column)) {
      event.preventDefault();
      step(row, column, up ? 1 : -1);
    } else if (((up || event.key === "ArrowDown") && event.altKey) || (event.key === "Enter" && !event.shiftKey)) {
      event.preventDefault();
      const shown = [...rows.values()].filter((one) => !one.element.hidden && one.fields[column] && one.fields[column].offsetParent);
      const next = shown[shown.indexOf(row) + (up ? -1 : 1)];
      if (next) next.fields[column].focus();
    }
  };
  const number = (row, column) => {
    const box = field(row, column, make("input", { type: "text", inputmode: "numeric", autocomplete: "off" }));
    const button = (mark, by_, word) => make("button", { type: "button", tabindex: "-1", "aria-label": word + " " + label(column) + " of " + row.card.name, onclick: () => step(row, column, by_) }, mark);
    return make("span", { class: "num" }, label(column), button("−", -1, "less"), box, button("+", 1, "more"));
  };
  const text = (row, column) => make("label", { class: "text" }, make("span", {}, label(column)), field(row, column, make("textarea", { rows: "1", spellcheck: "false" })));

  const build = (card) => {
    const row = { card, fields: {}, element: null, says: null, wrong: null };
    const has = (column) => (card.cells[column] || "") !== "";
    const open = make("button", { type: "button", onclick: () => looked(card.name) }, name(card.name));
    const nums = make("span", { class: "nums" }, ...NUMBERS.filter((column) => has(column) && (column !== "copies" || card.cells.cost || card.cells.copies !== "1")).map((column) => number(row, column)));
    const texts = TEXTS.filter((column) => has(column) || column === "abilities").map((column) => text(row, column));
    const rest = [...NUMBERS.filter((column) => !row.fields[column]), ...TEXTS.filter((column) => !has(column) && column !== "abilities"), ...REST].map((column) => text(row, column));
    row.says = make("p", { class: "says" });
    row.wrong = make("p", { class: "wrong", role: "status" });
    row.element = make("article", { class: "row", "data-card": card.name },
      make("header", {}, make("h4", {}, sign(card.faction, card.sign), " ", open), nums),
      make("div", { class: "texts" }, ...texts), row.says, row.wrong,
      make("details", { class: "more" }, make("summary", {}, "all cells"), make("div", { class: "texts" }, ...rest)));
    rows.set(card.name, row);
    say(row, card);
    return row.element;
  };
  const say = (row, card) => { row.says.textContent = card.says.join(" "); };

  // What the server says to the edits: fields, sentences and complaints of all rows follow it.
  const show = (edits, said) => {
    rows.forEach((row) => {
      const mine = edits.filter((edit) => edit.card === row.card.name);
      Object.entries(row.fields).forEach(([column, element]) => {
        const edit = mine.find((one) => one.column === column);
        const value = edit ? edit.value : row.card.cells[column] || "";
        if (element.value !== value) element.value = value;
        const chip = said && said.chips.find((one) => one.card === row.card.name && one.column === column);
        const bad = Boolean(chip && chip.problems.length);
        element.classList.toggle("edited", Boolean(edit) && !bad);
        element.classList.toggle("bad", bad);
        if (bad) element.setAttribute("aria-invalid", "true");
        else element.removeAttribute("aria-invalid");
        if (bad) for (let box = element.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
      });
      row.element.classList.toggle("changed", mine.length > 0);
      if (!said) return;
      const wrong = said.chips.filter((one) => one.card === row.card.name && one.problems.length);
      row.wrong.replaceChildren(...wrong.flatMap((one) => one.problems.map((problem) => make("span", {}, label(one.column) + ": " + problem + " "))));
      say(row, said.cards[row.card.name] || row.card);
    });
    filter();
  };

  const filter = () => {
    const wanted = by("find").value.trim().toLowerCase();
    let shown = 0;
    document.querySelectorAll("#rows .group").forEach((group) => {
      let any = false;
      group.querySelectorAll(".row").forEach((element) => {
        const row = rows.get(element.dataset.card);
        const words = [row.card.name, row.card.faction, row.says.textContent, ...Object.values(row.fields).map((one) => one.value)].join(" ").toLowerCase();
        const fits = (!wanted || words.includes(wanted)) && (!by("pile").value || by("pile").value === group.dataset.pile) && (!by("only").checked || element.classList.contains("changed"));
        element.hidden = !fits;
        any = any || fits;
        shown += fits;
      });
      group.hidden = !any;
    });
    by("count").textContent = shown === rows.size ? rows.size + " cards" : shown + " of " + rows.size + " cards";
  };

  const start = (onchange, onlook) => {
    changed = onchange;
    looked = onlook;
    by("rows").replaceChildren(...data.groups.map((group) => make("section", { class: "group", "data-pile": group.pile, "aria-label": group.title }, make("h3", {}, group.title), ...group.cards.map(build))));
    [...new Set(data.groups.map((group) => group.pile))].forEach((pile) => by("pile").append(make("option", { value: pile }, pile)));
    ["find", "pile", "only"].forEach((id) => by(id).addEventListener("input", filter));
    filter();
  };
  const find = (text) => {
    Object.assign(by("pile"), { value: "" });
    by("only").checked = false;
    by("find").value = text;
    filter();
  };
  return { start, show, find, rows };
})();
