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
    try { Lab.add((await ask("change", { ...Lab.body(), set: [step.set] })).edits); } catch (error) { notice(error.message); }
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

  // Suggest: patches, the smallest first; each edit can be taken or left.
  let searching = null;
  const patch = (one) => {
    const boxes = one.edits.map((edit) => [make("input", { type: "checkbox", checked: !edit.rule && !edit.kept, disabled: edit.rule }), edit]);
    const takeThem = async () => {
      const set = boxes.filter(([box]) => box.checked).map(([, edit]) => edit.set);
      if (!set.length) return;
      try { Lab.add((await ask("change", { ...Lab.body(), set })).edits); } catch (error) { notice(error.message); }
    };
    return make("li", { class: "patch" }, make("h4", {}, ["One edit", "Two edits", "Three edits"][one.edits.length - 1] + (one.beyond ? " beyond your limits" : "") + (one.fair ? ": everything is fair, for certain" : ": not enough")),
      ...boxes.map(([box, edit]) => make("label", { class: "check" }, box, name(edit.words + (edit.kept ? " (" + edit.kept + ")" : "") + (edit.rule ? " (--rule " + edit.set + ")" : "")))),
      make("button", { type: "button", class: "main", onclick: takeThem }, "Take"),
      make("table", {}, make("tbody", {}, ...one.rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row.of), make("td", { class: "n" }, row.was + " → " + row.text), make("td", {}, Lab.chip(row.state)))))),
      one.fair ? null : make("p", { class: "detail" }, "Leaves open: " + one.open.join(", ") + "."));
  };
  const ready = () => { searching = null; by("suggest").textContent = "Suggest"; };
  by("suggest").addEventListener("click", () => {
    if (searching) { searching(); ready(); by("suggest-told").textContent = "Stopped."; return; }
    by("suggest").textContent = "Stop";
    by("suggest-told").textContent = "Getting ready …";
    const keep = by("suggest-keep").value.split(",").map((text) => text.trim()).filter(Boolean);
    searching = errand({ ...Lab.body(), kind: "suggest", most: Number(by("suggest-most").value), keep }, (text) => { by("suggest-told").textContent = text; if (!searching) ready(); },
      (result) => {
        ready();
        by("suggest-told").textContent = result.games.toLocaleString("en") + " games, played by " + result.pilot + ". " + (result.needed ? "Off as it is: " + result.off.join(", ") + "."
          : "Nothing needs to change" + (result.open.length ? "; not certain yet: " + result.open.join(", ") : "") + ".") + (result.needed && !result.within ? " No patch within these limits makes all of it fair." : "");
        by("patches").replaceChildren(...result.suggestions.map(patch));
      });
  });
  Lab.numbers = numbers;
  Lab.take = take;
})();
