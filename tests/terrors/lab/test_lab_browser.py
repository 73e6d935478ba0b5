"""The lab in a real browser, with a real server process: edits, answers, broken cells, undo, addresses, Save, names that mean harm, widths, axe-core."""

import csv
import io
import json
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

from terrors.simulator.cards.card_set import load_cards
from tests.support.browser import NEEDS_BROWSER, NOWHERE, View, opened_chromium
from tests.support.labs import RunningLab
from tests.support.pages import HOSTILE
from tests.support.places import FROZEN

pytestmark = [*NEEDS_BROWSER, pytest.mark.slow]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with opened_chromium(f"{NOWHERE}, EXCLUDE 127.0.0.1") as driver:
        yield driver


class LabView(View):
    """The page of a lab."""

    def __init__(self, driver: Any, address: str, width: int = 1400, theme: str = "light"):
        super().__init__(driver, width, theme)
        driver.get_log("browser")
        driver.get("about:blank")
        driver.get(address)
        self.wait_for(".row")

    def until(self, condition: str) -> Any:
        """Wait until something is so in the page."""
        for _ in range(1200):
            if found := self.run(f"return {condition}"):
                return found
            time.sleep(0.05)
        raise AssertionError(f"it never came to {condition}: {self.run('return document.body.innerText')[:2000]}")

    def edit(self, card: str, column: str, value: str) -> None:
        self.run(
            "const f = [...document.querySelectorAll('.row')].find(r => r.dataset.card === arguments[0]).querySelector(`[data-column=${arguments[1]}]`);"
            "f.focus(); f.value = arguments[2]; f.dispatchEvent(new Event('input', {bubbles: true})); f.blur();",
            card, column, value,
        )  # fmt: skip

    def answered(self) -> None:
        """Wait for the answer to the edits that the page has now."""
        self.until("document.querySelector('#told li') && document.documentElement.dataset.edits === location.hash")

    def chips(self) -> list[str]:
        return [text.removesuffix("×") for text in self.texts("#chips .edit")]


@pytest.fixture(scope="module")
def lab(tmp_path_factory, compiled_engine):
    file = tmp_path_factory.mktemp("lab") / "cards.csv"
    shutil.copy(FROZEN, file)
    running = RunningLab(file)
    running.file = file
    yield running
    running.end()


def test_an_edit_is_answered(chromium, lab):
    page = LabView(chromium, lab.address)
    page.until("document.querySelector('#overlords tbody tr')")  # the set as opened, by itself
    page.run("document.querySelector(\"[data-card='Thames Drowner'] button[aria-label^='more cost']\").click()")
    assert page.find("[data-card='Thames Drowner'] [data-column=cost]").get_attribute("value") == "4"
    assert page.chips() == ["Thames Drowner cost 3 → 4"]
    page.answered()
    assert page.texts("#overlords tbody th") == ["◆ Azazael", "▲ Fenris", "● Lilith", "■ Methuselah", "Going first"]
    assert len(page.all("#overlords td.bar")) == 5
    assert "Thames Drowner, copies bought in a game" in page.run("return document.getElementById('tables').textContent")
    assert page.complaints() == []
    elsewhere = page.run(
        "return performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith(location.origin + '/') && !n.startsWith('data:'))"
    )
    assert elsewhere == []


def test_undo_redo_and_the_address(chromium, lab):
    page = LabView(chromium, lab.address)
    page.edit("Ghoul", "cost", "5")
    page.edit("Lilith", "health", "60")
    both = page.chips()
    assert [text.split(" → ")[1] for text in both] == ["5", "60"]
    kept = page.run("return location.href")
    page.run("document.getElementById('undo').click()")
    assert page.chips() == both[:1]
    page.run("document.getElementById('undo').click()")
    assert page.chips() == []
    page.run("document.getElementById('redo').click(); document.getElementById('redo').click()")
    assert page.chips() == both
    assert page.run("return location.href") == kept
    page.run("document.querySelector('#chips button').click()")
    assert page.chips() == both[1:]
    again = LabView(chromium, kept)
    assert again.chips() == both
    again.answered()
    assert again.find("[data-card='Lilith'] [data-column=health]").get_attribute("value") == "60"


def test_a_broken_cell_says_why_and_the_rest_is_answered(chromium, lab):
    page = LabView(chromium, lab.address)
    page.edit("Ghoul", "cost", "5")
    page.edit("Thames Drowner", "abilities", "3 Pover")
    page.until("document.querySelector('[data-card=\"Thames Drowner\"] .wrong').textContent.includes('did you mean')")
    field = page.find("[data-card='Thames Drowner'] [data-column=abilities]")
    assert field.get_attribute("aria-invalid") == "true"
    assert field.get_attribute("value") == "3 Pover"
    page.answered()
    assert len(page.chips()) == 2
    assert "left out" in page.chips()[1]
    page.edit("Thames Drowner", "abilities", "3 Power")
    page.until("!document.querySelector('[data-card=\"Thames Drowner\"] .wrong').textContent")
    assert "3 Power" in page.find("[data-card='Thames Drowner'] .says").text


def test_stop_and_go_on(chromium, lab):
    page = LabView(chromium, lab.address)
    page.run("const u = document.getElementById('until'); u.value = '0'; u.dispatchEvent(new Event('change'))")
    page.until("document.getElementById('stop').textContent === 'Stop' && document.querySelector('#overlords')")
    page.run("document.getElementById('stop').click()")
    assert page.find("#stop").text == "Go on"
    for _ in range(100):
        if not lab.ask("state")["busy"]:
            break
        time.sleep(0.1)
    assert not lab.ask("state")["busy"]
    page.run("document.getElementById('stop').click()")
    page.until("document.getElementById('stop').textContent === 'Stop'")
    page.driver.get("about:blank")  # closing the page stops its games
    for _ in range(100):
        if not lab.ask("state")["busy"]:
            break
        time.sleep(0.1)
    assert not lab.ask("state")["busy"]


def test_the_filter_finds_cards_by_what_they_say(chromium, lab):
    page = LabView(chromium, lab.address)
    page.find("#find").send_keys("drowner")
    assert page.run("return [...document.querySelectorAll('.row')].filter(r => !r.hidden).map(r => r.dataset.card)") == ["Thames Drowner"]
    assert page.find("#count").text.startswith("1 of ")


def test_names_that_mean_harm_are_text(chromium, tmp_path, compiled_engine):
    rows = list(csv.DictReader(io.StringIO(FROZEN.read_text(encoding="utf-8"))))
    names = {row["name"]: name for row, (name, _) in zip((r for r in rows if r["pile"] == "overlord"), HOSTILE, strict=True)}
    names |= {row["name"]: f"{HOSTILE[i % 4][0]} {i}x" for i, row in enumerate(r for r in rows if r["pile"] == "market")}
    for row in rows:
        row["name"], row["overlord"] = names.get(row["name"], row["name"]), names.get(row["overlord"], row["overlord"])
    file = tmp_path / "<img src=x onerror=alert(9)>.csv"
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    lab = RunningLab(file)
    try:
        page = LabView(chromium, lab.address)
        card = names["Thames Drowner"]
        page.edit(card, "cost", "5")
        page.answered()
        assert page.chips()[0].startswith(f"{card} cost")
        again = LabView(chromium, page.run("return location.href"))
        assert again.chips() == page.chips()
        again.answered()
        assert page.run("return document.querySelectorAll('main img, main script:not([type])').length") == 0
        assert page.complaints() == []
        for name, _ in HOSTILE:
            assert name in page.run("return document.body.textContent")
    finally:
        lab.end()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_widths_and_axe(chromium, lab, theme):
    digest = lab.ask("state")["digest"]
    edits = "#" + "&".join([digest, "Thames%20Drowner.cost%3D5", "Ghoul.abilities%3D3%20Pover"])
    page = LabView(chromium, lab.address + edits, theme=theme)
    page.answered()
    page.run("document.querySelectorAll('#tables details, .row[data-card=Ghoul] details').forEach(one => { one.open = true; })")
    for width in (380, 1000, 1400):
        page.resize(width)
        assert page.run("return document.documentElement.scrollWidth") <= width
        wide = page.run(
            "return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
            ".filter(e => !e.closest('.scroll, pre, svg, .quiet, dialog')).map(e => e.tagName + '.' + e.className)"
        )
        assert wide == []
    assert page.serious(**({} if theme == "light" else {"runOnly": ["color-contrast"]})) == []
    page.resize(380)
    for part in ("help", "closer", "play", "history"):
        page.run("document.querySelector(`[data-part=${arguments[0]}]`).click()", part)
        assert page.find(f"#{part}").is_displayed()
        assert page.run("return document.documentElement.scrollWidth") <= 380
    assert json.dumps(page.complaints()) == "[]"


def test_a_game_is_played_in_the_page(chromium, lab):
    page = LabView(chromium, lab.address)
    page.run("document.querySelector('[data-part=play]').click(); document.getElementById('play-new').click()")
    page.until("document.querySelector('#table .option')")
    for done in range(3):
        page.run("document.querySelector('#table .option').click()")
        page.until(f"document.getElementById('table').dataset.answers === '{done + 1}'")
    assert len(page.all("#table .seat")) == 2
    assert "5 cards" in page.run("return document.querySelector('#table .seat').textContent")  # the rival's hand is hidden
    told = len(page.all("#table .log li"))
    page.run("document.getElementById('play-undo').click()")
    page.until("document.getElementById('table').dataset.answers === '2'")
    assert len(page.all("#table .log li")) < told
    assert page.complaints() == []
    assert page.serious() == []


def test_a_card_is_looked_at_closely_with_games_to_watch(chromium, lab):
    from selenium.webdriver.common.keys import Keys

    page = LabView(chromium, lab.address)
    page.run("document.querySelector(\"[data-card='Thames Drowner'] h4 button\").click()")
    assert page.find("#closer-text").text.startswith("■ Thames Drowner")
    page.run("document.getElementById('watch').click()")
    page.until("document.querySelector('#viewer .seat')")
    where = page.run("return document.querySelector('#viewer .bar2 .detail').textContent")
    page.find("#viewer").send_keys(Keys.ARROW_RIGHT)
    assert page.run("return document.querySelector('#viewer .bar2 .detail').textContent") != where
    page.resize(380)
    assert page.run("return document.documentElement.scrollWidth") <= 380
    assert page.serious() == []
    page.run("document.dispatchEvent(new CustomEvent('lab-card', {detail: 'Lilith'}))")
    assert "Its Influence cards" in page.find("#closer-text").text
    assert page.complaints() == []


def test_save_asks_writes_and_keeps(chromium, lab):
    """Last of all: it changes the file that the other tests look at."""
    file = lab.file
    page = LabView(chromium, lab.address)
    assert not page.find("#save").is_enabled()
    page.edit("Thames Drowner", "cost", "5")
    page.run("document.getElementById('save').click()")
    page.run("document.querySelector('#ask button[value=no]').click()")
    time.sleep(0.2)
    assert file.read_bytes() == FROZEN.read_bytes()
    page.run("document.getElementById('save').click()")
    assert "Thames Drowner cost 3 → 5" in page.find("#ask").text
    page.run("document.getElementById('ask-yes').click()")
    page.until("!document.getElementById('notice').hidden && document.getElementById('notice').textContent.includes('cards.csv.before-1')")
    assert load_cards(file).by_name("Thames Drowner").cost == 5
    assert page.chips() == []
    # An edit that was made in a spreadsheet meanwhile is noticed, and nothing of the page is lost.
    page.edit("Ghoul", "cost", "6")
    file.write_text(file.read_text(encoding="utf-8").replace("Lilith", "Lilly"), encoding="utf-8")
    page.run("dispatchEvent(new Event('focus'))")
    page.until("document.getElementById('notice').textContent.includes('was changed on disk')")
    assert page.chips()[0].startswith("Ghoul cost")
    page.run("document.querySelector('#notice button').click()")
    page.until("document.querySelector(\"[data-card='Lilly']\")")
    assert page.chips()[0].startswith("Ghoul cost")
