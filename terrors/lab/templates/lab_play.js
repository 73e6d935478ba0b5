"use strict";
// A game against the pilot: the page keeps what was answered, the server plays it up to the next question.
(() => {
  const { data, by, make, name, ask } = Lab;
  let setup = null;
  let answers = [];
  let waiting = false; // a second click on the same option is no second answer
  const overlords = data.groups.filter((group) => group.pile === "overlord").flatMap((group) => group.cards);
  ["play-mine", "play-rival"].forEach((id, at) => {
    by(id).replaceChildren(...overlords.map((card) => make("option", { value: card.name }, card.name)));
    by(id).selectedIndex = Math.min(at, overlords.length - 1);
  });

  const option = (one, at) => {
    const go = (amount) => { if (!waiting) { answers.push([at, amount]); show(); } };
    const button = make("button", { type: "button", class: "option", onclick: () => go(0) }, make("b", {}, name(one.text)), one.says ? make("small", {}, name(one.says)) : null);
    if (one.most < 2) return button;
    const amount = make("input", { type: "number", min: "1", max: String(one.most), value: String(one.most), "aria-label": "How much: " + one.text });
    const some = make("button", { type: "button", onclick: () => go(Math.max(1, Math.min(one.most, Number(amount.value) || one.most))) }, "only so much");
    return make("span", { class: "spend" }, button, amount, some);
  };
  const draw = (view) => {
    const { zone, side, street } = gameTable(view);
    const rival = 1 - view.seat;
    const theirs = side(view, { ...view.state, ["hand" + rival]: [] }, rival, view.active === rival);
    theirs.querySelector(".zone").replaceWith(zone("Hand", [make("span", { class: "detail" }, view.hidden + " cards")]));
    const asked = view.over ? make("p", { class: "claim" }, view.end)
      : make("div", { class: "question" }, make("p", { class: "claim" }, name(view.question)), make("div", { class: "options" }, ...view.options.map(option)));
    const log = make("div", { class: "log", tabindex: "0", role: "region", "aria-label": "What has happened" }, make("ol", {}, ...view.lines.map((line) => make("li", { class: line.startsWith("Turn ") ? "head" : "" }, line))));
    by("table").replaceChildren(make("div", { class: "viewer" }, make("div", { class: "table" }, theirs, street(view.state), side(view, view.state, view.seat, view.active === view.seat)), asked, log));
    log.scrollTop = log.scrollHeight;
    by("play-undo").disabled = !answers.length;
    by("play-hint").disabled = view.over;
    by("play-told").textContent = "";
    const first = by("table").querySelector(".option");
    if (first && !by("play").hidden) first.focus({ preventScroll: true });
  };
  const show = async () => {
    waiting = true;
    try {
      draw(await ask("play", { ...setup, answers }));
      by("table").dataset.answers = answers.length;
    } catch (error) {
      answers.pop();
      by("table").replaceChildren(make("p", { class: "wrong", role: "alert" }, error.message));
    }
    waiting = false;
  };
  by("play-hint").addEventListener("click", async () => {
    by("play-told").textContent = "Thinking …";
    const at = answers.length;
    try {
      const said = await ask("hint", { ...setup, answers });
      if (at === answers.length) by("play-told").textContent = said.hint;
    } catch (error) { by("play-told").textContent = error.message; }
  });
  by("play-new").addEventListener("click", () => {
    setup = { mine: by("play-mine").value, rival: by("play-rival").value, second: by("play-second").checked, seed: Math.floor(Math.random() * 1e6), ...Lab.body() }; // the set as it is now: edits that come later are for the next game
    answers = [];
    show();
  });
  by("play-undo").addEventListener("click", () => { if (!waiting) { answers.pop(); show(); } });
})();
