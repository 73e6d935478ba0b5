"use strict";
// Look closer: one card, or one overlord. What it says, what it is worth, what its numbers move, games in which it is bought.
(() => {
  const { data, by, make, name, sign, ask, errand, sheet } = Lab;
  let stop = null;
  const cards = data.groups.flatMap((group) => group.cards.map((card) => card.name));
  by("closer-card").replaceChildren(...data.groups.map((group) => make("optgroup", { label: group.title }, ...group.cards.map((card) => make("option", { value: card.name }, card.name)))));

  const chosen = () => by("closer-card").value;
  const lines = (rows) => make("table", {}, make("tbody", {}, ...rows.map(([title, text]) => make("tr", {}, make("th", { scope: "row" }, title), make("td", {}, text)))));
  const show = () => {
    const row = sheet.rows.get(chosen());
    const { card } = row;
    const overlord = card.cells.pile === "overlord";
    const parts = [make("h3", {}, sign(card.faction, card.sign), " ", name(card.name)), make("p", {}, row.says.textContent)];
    if (overlord) {
      const told = Lab.answer.last();
      const mine = ((told && told.now && told.now.matchups) || []).filter((one) => one.overlord === card.name);
      if (mine.length) parts.push(make("h4", {}, "Its match-ups, wins of 100"), lines(mine.map((one) => [one.rival, one.text])));
      const own = data.groups.flatMap((group) => group.cards).filter((one) => one.cells.overlord === card.name);
      parts.push(make("h4", {}, "Its Influence cards"), lines(own.map((one) => [one.name, sheet.rows.get(one.name).says.textContent])));
    }
    parts.push(make("p", {}, make("button", { type: "button", onclick: () => { Lab.open("sheet"); sheet.find(card.name); } }, "Edit it in the sheet")));
    by("closer-text").replaceChildren(...parts);
    by("measure").hidden = card.cells.pile !== "market" && !overlord;
    by("watch").hidden = overlord || card.cells.pile !== "market";
    by("closer-value").replaceChildren();
    by("viewer-place").replaceChildren();
    by("closer-told").textContent = "";
    moves();
  };
  const moves = () => {
    const found = Lab.numbers();
    const card = chosen();
    const rows = found ? found.rows.filter((one) => one.card === card || one.of === card).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, 12) : [];
    by("closer-moves").replaceChildren(...(rows.length ? [make("h3", {}, "What its numbers move, and what moves it"), make("table", {}, make("tbody", {}, ...rows.map((one) => make("tr", {},
      make("th", { scope: "row" }, one.of), make("td", {}, ...one.steps.slice(0, 1).map((step) => make("button", { type: "button", title: "make this edit", onclick: () => Lab.take(step) }, name(step.move)))), make("td", { class: "n" }, one.text)))))] : []));
  };
  const idle = () => { stop = null; by("measure").textContent = "What is it worth?"; };
  by("measure").addEventListener("click", () => {
    if (stop) { stop(); idle(); return; }
    by("measure").textContent = "Stop";
    const card = chosen();
    stop = errand({ ...Lab.body(), kind: "card", card }, (text) => { by("closer-told").textContent = text; }, (result) => {
      idle();
      if (card !== chosen()) return;
      by("closer-told").textContent = result.games.toLocaleString("en") + " games on fresh deals" + (result.access ? ", with the card denied to one player, to the other, and to nobody." : ".");
      const title = result.access ? ["What access is worth: ", result.access, " points "] : ["It wins ", result.wins, " of 100 games "];
      by("closer-value").replaceChildren(make("h3", {}, ...title, Lab.chip(result.state)), lines(result.by));
    });
  });
  by("watch").addEventListener("click", async () => {
    by("closer-told").textContent = "Playing …";
    try {
      const found = await ask("games", { ...Lab.body(), card: chosen() });
      by("closer-told").textContent = found.games.length ? "" : "In the first games nobody buys it.";
      if (!found.games.length) return;
      const box = make("div", { class: "viewer", id: "viewer", tabindex: "0", role: "region", "aria-label": "A game, step by step" });
      const list = make("p", {}, ...found.games.flatMap((game) => [make("a", { href: "#", "data-game": game.game, class: "pick" }, "Game " + game.game + ": " + game.names.join(" against "))]));
      by("viewer-place").replaceChildren(make("h3", {}, "Games in which it is bought"), list, box);
      viewGames(box, found);
    } catch (error) { by("closer-told").textContent = error.message; }
  });
  by("closer-card").addEventListener("change", show);
  document.addEventListener("lab-card", (event) => { if (cards.includes(event.detail)) { by("closer-card").value = event.detail; Lab.open("closer"); show(); } });
  document.addEventListener("lab-part", (event) => { if (event.detail === "closer") show(); });
  document.addEventListener("lab-numbers", moves);
})();
