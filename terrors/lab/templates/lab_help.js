"use strict";
// What would help: the number lottery, as a tornado whose bars are moves.
(() => {
  const { by, make, name, ask, errand, notice } = Lab;
  let found = null;
  let stop = null;
  const numbers = () => found;

  const row = (one, reach) => {
    const steps = one.steps.slice().sort((a, b) => a.effect - b.effect);
    const bars = steps.map((step) => {
      const less = step.effect < 0;
      const button = make("button", { type: "button", class: "move " + (less ? "less" : "more"), title: "make this edit", onclick: () => take(step) },
        make("span", {}, name(step.move.split(": ").slice(1).join(": ") || step.move)), make("b", {}, (less ? "−" : "+") + Math.abs(step.effect).toFixed(1)));
      button.style.setProperty("--w", (100 * Math.min(1, Math.abs(step.effect) / reach)).toFixed(1));
      return [less, button];
    });
    const side = (wanted) => make("td", {}, ...bars.filter(([less]) => less === wanted).map(([, button]) => button));
    return make("tr", {}, make("th", { scope: "row" }, name(one.card || one.where)), side(true), side(false), make("td", { class: "n" }, one.text));
  };
  const show = () => {
    const gauge = by("gauge").value;
    const rows = found.rows.filter((one) => one.of === gauge).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, 20);
    const reach = Math.max(1, ...rows.flatMap((one) => one.steps.map((step) => Math.abs(step.effect))));
    const table = make("table", { class: "tornado" }, make("thead", {}, make("tr", {}, ...["", "less", "more", "one step up"].map((title) => make("th", { scope: "col" }, title)))), make("tbody", {}, ...rows.map((one) => row(one, reach))));
    by("movers").replaceChildren(rows.length ? make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers that move " + gauge }, table)
      : make("p", { class: "absent" }, "Nothing moves it that these games could show; play more."));
  };
  const take = async (step) => {
    try { Lab.add((await ask("change", { ...Lab.body(), set: step.set })).edits); } catch (error) { notice(error.message); }
  };
  const idle = () => { stop = null; by("lottery").textContent = "Play the lottery"; };
  by("lottery").addEventListener("click", () => {
    if (stop) { stop(); idle(); by("lottery-told").textContent = "Stopped."; return; }
    by("lottery").textContent = "Stop";
    by("lottery-told").textContent = "Getting ready …";
    stop = errand({ ...Lab.body(), kind: "numbers", games: Number(by("lottery-games").value) }, (text) => { by("lottery-told").textContent = text; },
      (result) => {
        idle();
        found = result;
        by("lottery-told").textContent = result.games.toLocaleString("en") + " games, played by " + result.pilot + ". Points of win rate (of turns: turns); 95 % intervals for all of the table together. Only what is certain is shown.";
        const before = by("gauge").value;
        by("gauge").replaceChildren(...result.gauges.map((gauge) => make("option", { value: gauge }, gauge)));
        if (result.gauges.includes(before)) by("gauge").value = before;
        by("gauge-label").hidden = false;
        show();
        document.dispatchEvent(new CustomEvent("lab-numbers"));
      });
  });
  by("gauge").addEventListener("change", show);
  Lab.numbers = numbers;
  Lab.take = take;
})();
