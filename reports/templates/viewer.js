"use strict";
// The table of a game, drawn from its state in short: for the viewer, and for whoever plays in the lab. `data.cards`: names and factions by number.
const gameTable = (data) => {
  const factions = ["undead", "beast", "mortal", "spirit", "none", "fifth", "sixth", "seventh", "eighth"];
  const make = (tag, className, ...inside) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...inside);
    return element;
  };
  const name = (text) => make("bdi", "", text);
  const card = (item, cost) => {
    const [number, token] = Array.isArray(item) ? item : [item, ""];
    const [text, faction] = data.cards[number];
    const says = (data.says || [])[number];
    const element = make("span", "card p-" + factions[faction], name(text));
    if (says) {
      element.title = says;
      element.tabIndex = 0;
      element.dataset.says = says;
    }
    if (token) element.append(make("em", "", token === "h" ? " HAUNT" : " Dismiss"));
    if (cost !== undefined && cost !== null) element.append(make("em", "", " " + cost));
    return element;
  };
  const zone = (title, cards) => make("div", "zone", make("span", "", title), make("div", "", ...(cards.length ? cards : [make("span", "detail", "–")])));
  const side = (game, state, seat, now) => {
    const health = state["health" + seat] ?? game.start[seat];
    const facts = ["Health " + health + " of " + game.start[seat], "deck " + (state["deck" + seat] ?? "–"), "discard " + (state["discard" + seat] ?? "–")];
    if (state["armor" + seat]) facts.push("Armor " + state["armor" + seat]);
    if (state["muster" + seat]) facts.push("MUSTER " + state["muster" + seat]);
    const bar = make("div", "hp", make("i", ""));
    bar.firstChild.style.setProperty("--w", Math.max(0, Math.min(100, 100 * health / game.start[seat])));
    const element = make("div", "seat p-" + game.factions[seat] + (now ? " now" : ""),
      make("h4", "", name(game.names[seat]), make("span", "", (seat ? "second" : "first") + ", " + game.strategies[seat] + (now ? ", to play" : ""))), bar,
      make("p", "detail", facts.join(" · ")), zone("Hand", (state["hand" + seat] || []).map((one) => card(one))));
    const play = (state["hordes" + seat] || []).map((horde) => make("span", "chain", ...horde.map((one) => card(one))));
    element.append(zone("In play", [...play, ...(state["play" + seat] || []).map((one) => card(one))]));
    if ((state["relics" + seat] || []).length) element.append(zone("Relics", state["relics" + seat].map((one) => card(one))));
    return element;
  };
  const street = (state) => {
    const pool = (state.pool || [0, 0, 0]).map((n, i) => n ? n + " " + ["Coin", "Power", "Regeneration"][i] : "").filter(Boolean).join(", ");
    const row = zone("Street", (state.street || []).map(([one, cost]) => card(one, cost)));
    return make("div", "street", row, make("p", "detail", "Pool: " + (pool || "empty") + " · Market " + (state.market ?? "–") + " · Acolytes " + (state.acolytes ?? "–")));
  };

  return { make, name, card, zone, side, street };
};

// Games to step through, in a box of the page.
const viewGames = (box, data) => {
  const { make, name, side, street } = gameTable(data);
  const SVG = "http:" + "//www.w3.org/2000/svg";
  const draw = (tag, attributes, text) => {
    const element = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    if (text !== undefined) element.textContent = text;
    return element;
  };

  let game = null;
  let step = 0;
  const head = make("div", "");
  const chart = draw("svg", { role: "img" });
  let wide = 720; // as the screen allows, so that texts stay readable
  const slider = make("input", "");
  Object.assign(slider, { type: "range", min: 0, step: 1 });
  slider.setAttribute("aria-label", "Step of the game");
  const where = make("span", "detail");
  const buttons = {};
  const controls = make("div", "bar2");
  // Drawn and not written: not every font has such signs.
  const icon = (path) => {
    const drawing = draw("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", focusable: "false" });
    drawing.append(draw("path", { d: path, fill: "currentColor" }));
    return drawing;
  };
  [["turnBack", "M2 2h2v12H2zM14 2v12L5 8z", "a turn back"], ["back", "M12 2v12L4 8z", "a step back"],
    ["next", "M4 2v12l8-6z", "a step on"], ["turnNext", "M2 2v12l9-6zM12 2h2v12h-2z", "a turn on"]].forEach(([key, path, label]) => {
    buttons[key] = make("button", "", icon(path));
    buttons[key].type = "button";
    buttons[key].title = label;
    buttons[key].setAttribute("aria-label", label);
    buttons[key].addEventListener("click", () => moves[key]());
    controls.append(buttons[key]);
  });
  controls.append(slider, where);
  const table = make("div", "table");
  const log = make("div", "log");
  log.tabIndex = 0;
  log.setAttribute("role", "region");
  log.setAttribute("aria-label", "What happens");
  const told = make("p", "quiet");
  told.setAttribute("aria-live", "polite");
  const says = make("p", "says detail", ""); // what the card says that the pointer is on, or the focus
  says.setAttribute("aria-live", "polite");
  box.append(head, chart, controls, told, make("div", "board", make("div", "", table, says), log));

  // The table after a step: the differences of all steps up to it, on top of each other.
  const stateAt = (at) => Object.assign({}, ...game.steps.slice(0, at + 1).map((one) => one[2]));
  const turnOf = (at) => game.steps[at][0];
  const begins = (turn) => turn < 1 ? 0 : game.turns[turn - 1][1];

  // Both Health curves, and the first player's chance below them if a model gave it.
  const curve = () => {
    chart.replaceChildren();
    wide = Math.max(280, Math.round(box.clientWidth - 40));
    chart.setAttribute("viewBox", "0 0 " + wide + " 200");
    const turns = game.turns.length;
    const chances = game.chances || null;
    const height = chances ? 96 : 158;
    const most = Math.max(...game.start, ...game.health.flat());
    const x = (turn) => 34 + (wide - 44) * turn / Math.max(1, turns);
    const y = (health) => 24 + height * (1 - Math.max(0, health) / most);
    for (let h = 0; h <= most; h += 10) {
      chart.append(draw("line", { x1: 34, x2: wide - 10, y1: y(h), y2: y(h), stroke: "var(--grid)" }), draw("text", { x: 28, y: y(h) + 4, "text-anchor": "end" }, h));
    }
    [0, 1].forEach((seat) => {
      const dash = seat ? "6 3" : "none";
      const at = 34 + (wide - 34) / 2 * seat;
      chart.append(draw("line", { x1: at, x2: at + 24, y1: 8, y2: 8, stroke: "var(--" + game.factions[seat] + ")", "stroke-width": 2.5, "stroke-dasharray": dash }));
      const long = game.names[seat];
      chart.append(draw("text", { x: at + 30, y: 12 }, (wide < 500 ? "" : "Health of ") + (long.length > wide / 22 ? long.slice(0, wide / 22 - 1) + "…" : long)));
      const points = game.health.map((pair, turn) => x(turn).toFixed(1) + "," + y(pair[seat]).toFixed(1)).join(" ");
      chart.append(draw("polyline", { points, fill: "none", stroke: "var(--" + game.factions[seat] + ")", "stroke-width": 2.5, "stroke-dasharray": dash }));
    });
    if (chances) {
      const top = height + 48;
      const c = (chance) => top + 40 * (1 - chance / 100);
      chart.append(draw("line", { x1: 34, x2: wide - 10, y1: c(50), y2: c(50), stroke: "var(--faint)", "stroke-dasharray": "4 3" }), draw("text", { x: 28, y: c(50) + 4, "text-anchor": "end" }, "50"));
      const known = chances.map((chance, i) => chance === null ? null : x(i + 1).toFixed(1) + "," + c(chance).toFixed(1)).filter(Boolean);
      chart.append(draw("polyline", { points: known.join(" "), fill: "none", stroke: "var(--accent)", "stroke-width": 2 }));
      chart.append(draw("text", { x: wide - 10, y: top - 3, "text-anchor": "end" }, "chance of " + game.names[0] + " to win, of 100"));
    }
    for (let turn = 5; turn <= turns; turn += 5) chart.append(draw("text", { x: x(turn), y: 198, "text-anchor": "middle" }, turn));
    chart.append(draw("line", { id: "now", y1: 20, y2: 186, stroke: "var(--ink)", "stroke-width": 1.2 }));
    const last = game.health[game.health.length - 1];
    chart.setAttribute("aria-label", "Health by turn: " + game.names[0] + " from " + game.start[0] + " to " + last[0] + ", " + game.names[1] + " from " + game.start[1] + " to " + last[1] + " in " + turns + " turns");
  };
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width * wide - 34) / (wide - 44);
    go(begins(Math.max(1, Math.min(game.turns.length, Math.ceil(part * game.turns.length)))));
  });

  let lines = [];
  const write = () => {
    const list = make("ol", "");
    lines = [];
    let turn = -1;
    game.steps.forEach((one, at) => {
      if (one[0] !== turn) {
        turn = one[0];
        list.append(make("li", "head", turn ? "Turn " + turn + " · " + game.names[game.turns[turn - 1][0]] : "Setup"));
      }
      const line = make("li", "", data.lines[one[1]]);
      line.addEventListener("click", () => go(at));
      lines.push(line);
      list.append(line);
    });
    list.append(make("li", "head", game.end));
    log.replaceChildren(list);
  };

  const go = (at) => {
    if (lines[step]) lines[step].removeAttribute("aria-current");
    step = Math.max(0, Math.min(game.steps.length - 1, at));
    const turn = turnOf(step);
    const state = stateAt(step);
    slider.value = step;
    const last = step === game.steps.length - 1;
    where.textContent = (turn ? "turn " + turn + " of " + game.turns.length : "setup") + ", step " + (step + 1) + " of " + game.steps.length;
    slider.setAttribute("aria-valuetext", where.textContent);
    told.textContent = data.lines[game.steps[step][1]] + (last ? ". " + game.end : "");
    buttons.back.disabled = buttons.turnBack.disabled = step === 0;
    buttons.next.disabled = buttons.turnNext.disabled = last;
    const active = turn > 0 ? game.turns[turn - 1][0] : -1;
    table.replaceChildren(side(game, state, 1, active === 1), street(state), side(game, state, 0, active === 0));
    lines[step].setAttribute("aria-current", "step");
    log.scrollTop = lines[step].offsetTop - log.offsetTop - log.clientHeight / 2;
    const begin = begins(turn);
    const end = turn < game.turns.length ? game.turns[turn][1] : game.steps.length;
    const x = turn ? 34 + (wide - 44) * (turn - 1 + (step - begin + 1) / Math.max(1, end - begin)) / game.turns.length : 34;
    const line = chart.querySelector("#now");
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  };
  const moves = {
    back: () => go(step - 1),
    next: () => go(step + 1),
    turnBack: () => go(step > begins(turnOf(step)) ? begins(turnOf(step)) : begins(turnOf(step) - 1)),
    turnNext: () => go(turnOf(step) < game.turns.length ? begins(turnOf(step) + 1) : game.steps.length - 1),
    start: () => go(0),
    end: () => go(game.steps.length - 1),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "next", ArrowUp: "turnBack", ArrowDown: "turnNext", PageUp: "turnBack", PageDown: "turnNext", Home: "start", End: "end" };
  box.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[keys[event.key]]();
  });
  slider.addEventListener("input", () => go(Number(slider.value)));

  addEventListener("resize", () => { if (game) { curve(); go(step); } });

  const tell = (event) => {
    const one = event.target.closest ? event.target.closest(".card[data-says]") : null;
    says.textContent = one ? one.querySelector("bdi").textContent + ": " + one.dataset.says : "";
  };
  table.addEventListener("mouseover", tell);
  table.addEventListener("focusin", tell);

  const open = (number) => {
    const found = data.games.find((one) => one.game === number);
    if (!found) return false;
    game = found;
    step = 0;
    slider.max = game.steps.length - 1;
    head.replaceChildren(
      make("h3", "", "Game " + game.game + ": ", name(game.names[0]), " against ", name(game.names[1])),
      make("p", "detail", game.end + " · seed " + game.seed));
    curve();
    write();
    go(begins(1));
    document.querySelectorAll("a[data-game]").forEach((link) => Number(link.dataset.game) === number ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
    return true;
  };
  // A game has an address, #game-260: it opens the game, and changes with it.
  const asked = () => Number((/^#game-(\d+)$/.exec(location.hash) || [0, NaN])[1]);
  const show = (number) => {
    if (!open(number)) return false;
    box.scrollIntoView({ block: "start" });
    box.focus({ preventScroll: true });
    return true;
  };
  document.querySelectorAll("a[data-game]").forEach((link) => link.addEventListener("click", (event) => {
    const number = Number(link.dataset.game);
    if (!show(number)) return;
    event.preventDefault();
    if (asked() !== number) history.pushState(null, "", "#game-" + number);
  }));
  addEventListener("hashchange", () => show(asked()));
  addEventListener("popstate", () => show(asked()));
  box.hidden = false;
  if (!show(asked())) open(data.games[0].game);
};
(() => {
  const source = document.getElementById("replays");
  const box = document.getElementById("viewer");
  if (source && box) viewGames(box, JSON.parse(source.textContent));
})();
