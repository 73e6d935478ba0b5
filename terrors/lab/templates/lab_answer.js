"use strict";
// The answer: listens to one question at a time, and shows what the games say so far.
Lab.answer = (() => {
  const { data, by, make, name, sign, ask, bar, chip } = Lab;
  let source = null;
  let last = null;
  let about = ""; // the edits that it is about, as an address has them
  let started = 0;
  let first = 0;

  const count = (n) => n.toLocaleString("en");
  const head = (...titles) => make("thead", {}, make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title))));
  const who = (row) => make("th", { scope: "row" }, row.sign ? sign(row.faction, row.sign) : null, row.sign ? " " : null, name(row.overlord));
  const moved = (row, reach, margin = 1) => make("td", { class: "n bar" }, make("span", { class: "v" }, make(row.clear ? "b" : "span", {}, row.text)), bar(row, reach, margin));
  const reachOf = (rows, least) => Math.max(least, ...rows.flatMap((row) => [Math.abs(row.low), Math.abs(row.high)]));
  const verdict = (row) => make("td", { class: "state" }, row && row.state ? chip(row.state) : "", row && row.state && row.state.lean ? make("small", {}, " " + row.state.lean) : "");

  const overlords = (told) => {
    const rows = told.now.overlords;
    const change = new Map((told.overlords || []).map((row) => [row.overlord, row]));
    const first = told.now.first[0];
    const going = (told.first || [])[0];
    const reach = reachOf([...change.values(), ...(going ? [going] : [])], 3);
    const cells = (row, delta) => [...(told.overlords ? [delta ? moved(delta, reach) : make("td")] : []), make("td", { class: "n" }, row.text), verdict(row)];
    const body = rows.map((row) => make("tr", {}, who(row), ...cells(row, change.get(row.overlord))));
    if (first) body.push(make("tr", {}, make("th", { scope: "row" }, "Going first"), ...cells(first, going)));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Overlords" },
      make("table", { id: "overlords" }, head("", ...(told.overlords ? ["points more or less"] : []), "wins of 100 now", "verdict"), make("tbody", {}, ...body)));
  };
  const matchups = (told) => {
    const now = told.now.matchups;
    const change = new Map((told.matchups || []).map((row) => [row.overlord + "\n" + row.rival, row]));
    const rows = told.matchups ? now.filter((row) => change.has(row.overlord + "\n" + row.rival)) : now.filter((row) => row.overlord < row.rival);
    const reach = reachOf([...change.values()], 3);
    const body = rows.map((row) => make("tr", {}, who(row), make("td", {}, name(row.rival)),
      ...(told.matchups ? [moved(change.get(row.overlord + "\n" + row.rival), reach)] : []), make("td", { class: "n" }, row.text), verdict(row)));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Match-ups" },
      make("table", {}, head("", "against", ...(told.matchups ? ["points more or less"] : []), "wins of 100 now", "verdict"), make("tbody", {}, ...body)));
  };
  const others = (told) => {
    const rows = [];
    if (told.length) rows.push([["Turns of a game"], told.length]);
    (told.cards || []).forEach((row) => rows.push([[name(row.card), ", copies bought in a game"], row]));
    if (!rows.length) return null;
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Length and purchases" },
      make("table", {}, head("", "before", "now", "difference"), make("tbody", {}, ...rows.map(([title, row]) => make("tr", {},
        make("th", { scope: "row" }, ...title), make("td", { class: "n" }, row.before), make("td", { class: "n" }, row.after), make("td", { class: "n" }, make(row.clear ? "b" : "span", {}, row.text)))))));
  };

  const fold = (id, title, inside) => {
    const before = by(id);
    return make("details", { id, open: Boolean(before && before.open) }, make("summary", {}, title), inside);
  };
  const show = (told) => {
    if (told.error) {
      by("told").replaceChildren(make("p", { class: "wrong" }, told.error));
      return;
    }
    last = told;
    const speed = Math.round(1000 * told.played / Math.max(1, performance.now() - started));
    if (!told.now) {
      by("played").textContent = count(told.played) + " games; the first interval comes soon.";
      return;
    }
    if (!first) first = performance.now() - started;
    by("played").textContent = count(told.games) + " games of " + (told.overlords ? "each set" : "the set") + ", overlords known to ±" + told.widest.toFixed(told.widest < 1.95 ? 2 : 1) + (told.done ? "." : " …");
    by("played").title = "about " + count(speed) + " games a second, those that were there already included";
    const said = told.sentences || [];
    by("told").replaceChildren(make("ul", { class: "told" }, ...said.map((text) => make("li", {}, text))));
    by("standing").replaceChildren(overlords(told));
    by("tables").replaceChildren(...[others(told)].filter(Boolean), fold("matchups", "Match-ups", matchups(told)));
    document.querySelector("#pocket span").textContent = said[0] || told.now.overlords.map((row) => row.overlord + " " + row.text).join(", ");
    Object.assign(document.documentElement.dataset, { edits: about, widest: told.widest, done: told.done }); // what is shown, for whoever drives the page
  };

  const stop = () => {
    if (source) source.close();
    source = null;
    by("stop").textContent = "Go on";
  };
  const listen = (question, hash) => {
    stop();
    about = hash;
    started = performance.now();
    first = 0;
    source = new EventSource("answer/" + encodeURIComponent(question));
    by("stop").textContent = "Stop";
    const mine = source;
    source.onmessage = (event) => { if (mine === source) show(JSON.parse(event.data)); };
    source.addEventListener("end", () => { if (mine === source) stop(); });
    source.onerror = () => { if (mine === source) stop(); };
  };
  return { listen, stop, show, isOn: () => Boolean(source), last: () => last };
})();
