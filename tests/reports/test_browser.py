"""The page in a real browser (support/browser.py): headless Chromium, from a file, without a network."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import NEEDS_BROWSER, NOWHERE, View, opened_chromium
from tests.support.pages import HOSTILE, hostile_run, page_of, small_run

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with opened_chromium(NOWHERE) as driver:
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
        yield driver


class Page(View):
    """A page that is a file."""

    def __init__(self, driver: Any, path: Path, width: int = 1400, script: bool = True, theme: str = "light"):
        super().__init__(driver, width, theme)
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        driver.get_log("browser")
        driver.get("about:blank")
        driver.get(f"file://{path}")
        if not script:  # once more: the page may have got a process of its own, which has only now heard of it
            driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
            driver.refresh()
        self.wait_for("html.on" if script else "body > script:not([type])")


@pytest.fixture(scope="module")
def small() -> Path:
    return page_of(small_run())


@pytest.fixture(scope="module")
def hostile() -> Path:
    return page_of(hostile_run())


def test_it_loads_from_a_file_without_a_network_or_a_complaint(chromium, small):
    page = Page(chromium, small)
    assert page.find("h1").text
    assert page.run("return document.documentElement.classList.contains('on')")
    assert page.run("return performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length") == 0
    assert page.complaints() == []


@pytest.mark.parametrize("which", ["small", "hostile"])
def test_nothing_overflows(chromium, which, request):
    page = Page(chromium, request.getfixturevalue(which))
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for width in (380, 800, 1400):
        page.resize(width)
        assert page.run("return document.documentElement.scrollWidth") <= width
        wide = page.run(
            "return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
            ".filter(e => !e.closest('.scroll, pre, svg, .quiet')).map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40))"
        )
        assert wide == []


def test_charts_are_drawn_for_the_width_that_there_is(chromium, small):
    page = Page(chromium, small)
    shown = "return getComputedStyle(document.querySelector('#figure-overlords .{}')).display"
    assert (page.run(shown.format("wide")), page.run(shown.format("narrow"))) == ("block", "none")
    page.resize(380)
    assert (page.run(shown.format("wide")), page.run(shown.format("narrow"))) == ("none", "block")
    assert page.find("#figure-overlords [role=img]").get_attribute("aria-label")


@pytest.mark.parametrize("width", [1400, 1000, 800])
def test_the_cards_fit(chromium, small, width):
    page = Page(chromium, small, width)
    assert page.run("const b = document.querySelector('#cards .tall'); return b.scrollWidth - b.clientWidth") <= 0
    assert page.run("return [...document.querySelectorAll('#cards .hint')].every(h => h.getClientRects().length === 0)")


def test_a_table_that_is_too_wide_says_so_until_its_end_was_seen(chromium, small):
    page = Page(chromium, small, 380)
    frames = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))"
    seen = "const b = document.querySelector('#cards .tall'); return [b.scrollWidth > b.clientWidth, b.previousElementSibling.getClientRects().length > 0]"
    page.driver.execute_async_script(frames)
    assert page.run(seen) == [True, True]
    page.run("document.querySelector('#cards .tall').scrollLeft = 9999")
    page.driver.execute_async_script(frames)
    assert page.run(seen) == [True, False]


def test_marks_have_names_for_the_pointer_and_the_keys(chromium, small):
    from selenium.webdriver.common.keys import Keys

    page = Page(chromium, small)
    note = "return [...document.querySelectorAll('.note')].filter(n => !n.hidden).map(n => n.textContent)"
    for chart in ("overlords", "seats", "cost_curve", "naive", "length", "river", "panel", "calibration"):
        unnamed = page.run(f"return [...document.querySelectorAll('#figure-{chart} .wide .mark')].map(m => m.dataset.name || '').filter(n => n.length < 5)")
        assert unnamed == []
        assert page.run(f"return document.querySelectorAll('#figure-{chart} .wide .mark').length") > 1
    cards = set(page.texts("#table-cards tbody th bdi"))
    for chart, after in (("cost_curve", ", cost"), ("naive", ": wins")):
        names = page.run(f"return [...document.querySelectorAll('#figure-{chart} .wide .mark')].map(m => m.dataset.name)")
        assert {name.partition(after)[0] for name in names} <= cards
        assert len(set(names)) == len(names)
    box = page.find("#figure-cost_curve [role=img]")
    box.send_keys(Keys.ARROW_RIGHT)
    first = page.run(note)
    box.send_keys(Keys.ARROW_RIGHT)
    assert len(first) == len(page.run(note)) == 1
    assert page.run(note) != first
    box.send_keys(Keys.ESCAPE)
    assert page.run(note) == []
    hover = "const m = document.querySelectorAll('#figure-naive .wide .mark')[2]; const r = m.getBoundingClientRect();"
    hover += "m.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: r.x + r.width / 2, clientY: r.y + r.height / 2})); return m.dataset.name"
    assert [page.run(hover)] == page.run(note)


def test_every_game_that_is_named_can_be_opened(chromium, small):
    page = Page(chromium, small)
    there = page.run("return JSON.parse(document.getElementById('replays').textContent).games.map(g => String(g.game))")
    named = page.run("return [...document.querySelectorAll('a[data-game]')].map(a => a.dataset.game)")
    assert named
    assert set(named) <= set(there)
    text = page.run("return document.querySelector('main').textContent")
    assert set(re.findall(r"[Gg]ame (\d+)\b", text)) <= set(there)
    for number in sorted(set(named)):
        page.run(f"location.hash = 'game-{number}'")
        page.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
        assert page.find("#viewer h3").get_attribute("textContent").startswith(f"Game {number}: ")


def test_the_story_stands_beside_the_table(chromium, small):
    page = Page(chromium, small)
    beside = "const [table, log] = ['.table', '.log'].map(s => document.querySelector('#viewer ' + s).getBoundingClientRect());"
    assert page.run(beside + "return log.left >= table.right && Math.abs(log.top - table.top) < 40")


def column(page: Page, number: int) -> list[float]:
    """The numbers of a column from top to bottom; cells without one must be at the end."""
    found = page.run("return [...document.querySelectorAll('#table-cards tbody tr')].map(r => r.cells[arguments[0]].dataset.v ?? null)", number)
    known = [float(value) for value in found if value is not None]
    assert found[len(known) :] == [None] * (len(found) - len(known))
    return known


def test_cards_sort(chromium, small):
    page = Page(chromium, small)
    heads = page.all("#table-cards thead th button")
    assert len(heads) == len(page.all("#table-cards thead th"))
    for number in (1, 2, 4):
        page.run("arguments[0].click()", heads[number])
        assert column(page, number) == sorted(column(page, number), reverse=True)
        page.run("arguments[0].click()", heads[number])
        assert column(page, number) == sorted(column(page, number))
        assert page.find(f"#table-cards thead th:nth-child({number + 1})").get_attribute("aria-sort") == "ascending"
    page.run("arguments[0].click()", heads[0])
    names = page.texts("#table-cards tbody th bdi")
    assert names == page.run("return arguments[0].sort((a, b) => a.localeCompare(b))", names)
    assert len(page.all("#table-cards thead th[aria-sort]")) == 1


def test_cards_filter(chromium, small):
    page = Page(chromium, small)
    total = len(page.all("#table-cards tbody tr"))
    visible = "return [...document.querySelectorAll('#table-cards tbody tr')].filter(r => !r.hidden).map(r => r.querySelector('small').textContent)"
    page.find("[data-filter=text]").send_keys("gho")
    assert 0 < len(page.run(visible)) < total
    assert page.find("output").text == f"{len(page.run(visible))} of {total} cards"
    page.find("[data-filter=text]").clear()
    page.run("const s = document.querySelector('[data-filter=note]'); s.value = 'Spirit'; s.dispatchEvent(new Event('input'))")
    assert page.run(visible)
    assert all(note.startswith("Spirit · ") for note in page.run(visible))
    page.run("const s = document.querySelector('[data-filter=note]'); s.value = ''; s.dispatchEvent(new Event('input'))")
    assert page.find("output").text == f"{total} cards"


def test_the_matrix_has_three_seats_even_without_a_script(chromium, small):
    page = Page(chromium, small, script=False)
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert page.find("#matrix-both").is_displayed()
    page.run("arguments[0].click()", page.find("label[for=seat-first]"))
    assert page.find("#matrix-first").is_displayed()
    assert not page.find("#matrix-both").is_displayed()


def test_without_a_script_everything_can_be_read(chromium, small):
    page = Page(chromium, small, script=False)
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})  # for the questions asked here; the page's own script has not run
    assert page.find("#table-cards tbody tr").is_displayed()
    assert page.find(".toc a").is_displayed()
    assert not page.find(".filters").is_displayed()
    assert not page.find(".theme").is_displayed()
    assert not page.find("#viewer").is_displayed()
    assert page.find(".gamelist a").is_displayed()
    assert page.run("return document.querySelector('#table-cards th button')") is None


def test_light_dark_and_as_the_system_says(chromium, small):
    page = Page(chromium, small)
    page.run("try { localStorage.clear(); } catch (_) {}")
    light = page.background()
    page.prefer("dark")
    dark = page.background()
    assert light != dark
    button = page.find(".theme")
    seen = []
    for _ in range(3):
        page.run("arguments[0].click()", button)
        seen.append((button.text, page.background()))
    assert seen == [("Theme: light", light), ("Theme: dark", dark), ("Theme: system", dark)]
    ink = "return getComputedStyle(document.querySelector('#figure-overlords svg text')).fill"
    in_the_dark = page.run(ink)
    page.prefer("light")
    assert page.run(ink) != in_the_dark


def test_the_contents_follow(chromium, small):
    page = Page(chromium, small)
    for anchor in ("cards", "games"):
        page.run(f"document.getElementById('{anchor}').scrollIntoView(); dispatchEvent(new Event('scroll'))")
        page.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
        assert page.find(".toc a[aria-current]").get_attribute("href").endswith(f"#{anchor}")
    page.resize(380)
    page.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
    assert page.run("return document.querySelector('.toc details').open") is False


def test_a_replay_steps_with_keys_and_buttons(chromium, small):
    from selenium.webdriver.common.keys import Keys

    page = Page(chromium, small)
    viewer, where = page.find("#viewer"), "return document.querySelector('#viewer .bar2 .detail').textContent"
    step = lambda: int(page.run(where).split("step ")[1].split(" ")[0])  # noqa: E731
    start = step()
    viewer.send_keys(Keys.ARROW_RIGHT)
    assert step() == start + 1
    viewer.send_keys(Keys.ARROW_LEFT)
    assert step() == start
    assert page.run(where).startswith("turn 1 of ")
    viewer.send_keys(Keys.ARROW_DOWN)
    assert page.run(where).startswith("turn 2 of ")
    viewer.send_keys(Keys.ARROW_UP)
    assert step() == start
    viewer.send_keys(Keys.END)
    total = int(page.run(where).split(" of ")[-1])
    assert step() == total
    assert page.find("#viewer button[aria-label='a step on']").get_attribute("disabled")
    assert " wins" in page.find("#viewer [aria-live]").get_attribute("textContent")
    viewer.send_keys(Keys.HOME)
    assert step() == 1
    page.run("arguments[0].click()", page.find("#viewer button[aria-label='a turn on']"))
    assert page.run(where).startswith("turn 1 of ")
    page.run("const s = document.querySelector('#viewer input[type=range]'); s.value = 40; s.dispatchEvent(new Event('input'))")
    assert step() == 41
    assert page.texts("#viewer .log li[aria-current]") == [page.find("#viewer [aria-live]").get_attribute("textContent")]
    assert len(page.all("#viewer .seat")) == 2
    assert len(page.all("#viewer .street .card")) >= 3
    assert len(page.all("#viewer svg polyline")) == 3  # Health of both, and the chance to win
    assert page.complaints() == []


def test_hordes_are_chains(chromium, small):
    page = Page(chromium, small)
    at = page.run(
        "const d = JSON.parse(document.getElementById('replays').textContent);"
        "for (const g of d.games) for (let i = 0; i < g.steps.length; i++) for (const k of ['hordes0', 'hordes1'])"
        "if ((g.steps[i][2][k] || []).some(h => h.length > 1)) return [g.game, i]; return null"
    )
    page.run(f"document.querySelector('a[data-game=\"{at[0]}\"]').click()")
    page.run(f"const s = document.querySelector('#viewer input[type=range]'); s.value = {at[1]}; s.dispatchEvent(new Event('input'))")
    assert len(page.all("#viewer .chain .card")) >= 2


def test_a_claim_leads_to_its_game(chromium, small):
    page = Page(chromium, small)
    links = page.all(".first .games a[data-game]")
    assert links
    game = links[-1].get_attribute("data-game")
    page.run("arguments[0].click()", links[-1])
    assert page.find("#viewer h3").get_attribute("textContent").startswith(f"Game {game}: ")
    assert page.run("return document.activeElement.id") == "viewer"


def test_names_that_mean_harm_are_shown_and_not_run(chromium, hostile):
    from selenium.webdriver.common.keys import Keys

    page = Page(chromium, hostile)
    assert page.complaints() == []
    viewer = page.find("#viewer")
    for _ in range(12):
        viewer.send_keys(Keys.ARROW_DOWN)
    text = page.run("return document.body.textContent")
    for name, _ in HOSTILE:
        assert name in text
    shown = page.run("return document.getElementById('viewer').textContent")
    assert any(name in shown for name, _ in HOSTILE)
    assert page.run("return document.querySelectorAll('main img, main b > script, main script:not([type])').length") == 0
    assert page.complaints() == []


@pytest.mark.parametrize(("theme", "rules"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})])
def test_axe_finds_nothing_serious(chromium, small, theme, rules):
    page = Page(chromium, small, theme=theme)
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.serious(**rules) == []


def test_it_prints(chromium, small):
    page = Page(chromium, small)
    light = page.background()
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": features})
    page.resize(720)  # about what a sheet of A4 has
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.background() == light
    assert page.run("return document.documentElement.scrollWidth") <= 720
    assert not page.find("nav").is_displayed()
    assert page.find("#table-influences").is_displayed()  # which is folded on the screen
    assert not page.find("#table-seats").is_displayed()  # whose numbers stand in the chart above it
    data = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})["data"])
    assert data.startswith(b"%PDF")
    assert len(data) > 50_000
    assert len(re.findall(rb"/Type\s*/Page\b", data)) <= 12
