"use strict";
// What all parts of the lab use: making elements (text stays text), asking the server, remembering.
const Lab = (() => {
  const root = document.getElementById("lab-data");
  const data = JSON.parse(root.textContent);
  const by = (id) => document.getElementById(id);
  const make = (tag, options, ...inside) => {
    const element = document.createElement(tag);
    Object.entries(options || {}).forEach(([name, value]) => {
      if (value === undefined || value === null || value === false) return;
      if (name === "class") element.className = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    });
    element.append(...inside.filter((one) => one !== null && one !== undefined));
    return element;
  };
  const name = (text) => make("bdi", {}, text);
  const sign = (faction, mark) => make("span", { class: "f-" + faction, "aria-hidden": "true" }, mark);

  const ask = async (what, body) => {
    let response = null;
    try {
      response = await fetch(what, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    } catch (_) {
      throw new Error("The lab does not answer: it was closed, or its terminal was. Start `terrors lab` again and reload this page; your edits are in its address.");
    }
    const said = await response.json().catch(() => ({ error: "The lab gave no answer that can be read (" + response.status + ")." }));
    if (said.error) throw new Error(said.error);
    return said;
  };

  // An errand: asked for, listened to until its result is there. Returns what stops it.
  const errand = (body, ontold, onresult) => {
    let source = null;
    let over = false;
    ask("errand", body).then((said) => {
      if (over) return;
      source = new EventSource("errand/" + encodeURIComponent(said.errand));
      source.onmessage = (event) => {
        const got = JSON.parse(event.data);
        if (got.result) onresult(got.result);
        else ontold(got.error || got.told);
      };
      source.addEventListener("end", () => { over = true; source.close(); });
      source.onerror = () => { over = true; source.close(); };
    }).catch((error) => { over = true; ontold(error.message); });
    return () => { over = true; if (source) source.close(); };
  };

  const notice = (text, action, label) => {
    const place = by("notice");
    place.hidden = !text;
    place.replaceChildren(text || "");
    if (text && action) place.append(make("button", { type: "button", onclick: action }, label));
  };

  // A dialog that asks before something is done: resolves to whether to do it.
  const confirm = (title, lines, label) => new Promise((resolve) => {
    const dialog = by("ask");
    by("ask-title").textContent = title;
    by("ask-text").replaceChildren(...lines.map((line) => make("p", {}, line)));
    by("ask-yes").textContent = label;
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    dialog.showModal();
  });

  // A small bar: an interval on a scale from -reach to +reach, as the report's tables have it.
  const bar = (row, reach, margin, middle = 0) => {
    const at = (value) => Math.max(0, Math.min(100, 50 + 50 * (value - middle) / reach)).toFixed(1);
    const off = row.low > middle + margin || row.high < middle - margin;
    const element = make("span", { class: "b" + (off ? " off" : ""), "aria-hidden": "true" }, make("i"), make("u"), make("s"));
    const places = { l: at(row.low), h: at(row.high), a: at(row.rate ?? row.difference), f: at(middle - margin), t: at(middle + margin) };
    Object.entries(places).forEach(([key, value]) => element.style.setProperty("--" + key, value));
    return element;
  };
  const chip = (state) => make("span", { class: "chip s-" + state.colour }, make("span", { class: "sign", "aria-hidden": "true" }, state.sign), state.word);
  const labels = { health: "Health", left: "left of it", right: "right of it", beginner: "for a first game" };
  const label = (column) => labels[column] || column;
  return { data, by, make, name, sign, ask, errand, notice, confirm, bar, chip, label };
})();
