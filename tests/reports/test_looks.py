"""The looks: colours that everybody can tell apart, numbers with the digits that they deserve, charts that are safe and small."""

import io
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from terrors.reports.charts.all_charts import DRAWN, all_charts
from terrors.reports.charts.png_file import png_file
from terrors.reports.charts.render import png, svg
from terrors.reports.format import odds, plain, plus_minus, points, share, signed
from terrors.reports.inputs import Material
from terrors.reports.theme import COLOURS, DARK, LIGHT, MARKS, SIGNS, VERDICTS, arrow, contrast, faction_of, lean, lean_colour, luminance, short
from tests.support.page_data import made_up
from tests.support.pages import market_of, worlds
from tests.support.places import FROZEN

THEMES = {"light": LIGHT, "dark": DARK}
# How the colour-blind see (Machado, Oliveira and Fernandes 2009, the strongest form), on linear colours.
SEEN = {
    "all": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
FACTIONS = [name for name in MARKS if name != "none"]


def lab(colour: str, eyes: np.ndarray) -> np.ndarray:
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.clip(eyes @ np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4), 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eyes", SEEN)
def test_factions_can_be_told_apart_by_everybody(theme, eyes):
    for a, b in combinations(FACTIONS, 2):
        assert np.linalg.norm(lab(THEMES[theme][a], SEEN[eyes]) - lab(THEMES[theme][b], SEEN[eyes])) > 20


@pytest.mark.parametrize("theme", THEMES)
def test_factions_differ_in_greyscale_and_in_their_signs(theme):
    light = sorted(lab(THEMES[theme][name], np.eye(3))[0] for name in FACTIONS)
    assert min(np.diff(light)) > 8
    assert len(set(MARKS.values())) == len(MARKS)
    assert len(set(SIGNS.values())) == len(SIGNS)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_and_marks_have_enough_contrast(theme):
    colours = THEMES[theme]
    for paper in ("paper", "sheet"):
        for text in ("ink", "soft", "accent", *(colour for colour, _ in VERDICTS.values())):
            assert contrast(colours[text], colours[paper]) >= 4.5, (text, paper)
        for mark in (*MARKS, "accent"):
            assert contrast(colours[mark], colours[paper]) >= 3, (mark, paper)
    for background in ("band", "accent-pale"):
        assert contrast(colours["ink"], colours[background]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_can_be_read_on_every_colour_of_the_matrix(theme):
    for rate in range(0, 101, 5):
        for half in (0, 1, 3, 5, 8, 20):
            assert contrast(THEMES[theme]["ink"], lean_colour(lean(rate, half), THEMES[theme])) >= 4.5


def test_the_scale_of_the_matrix_is_fixed_and_fades():
    assert lean_colour(lean(65, 0)) == lean_colour(lean(99, 0)) == LIGHT["more"]
    assert lean_colour(lean(35, 0)) == LIGHT["less"]
    assert lean_colour(lean(80, 8)) == lean_colour(lean(20, 9)) == LIGHT["unsure"]
    assert lean_colour(lean(50, 0)) == LIGHT["even"]
    assert lean(60, 2).sure > lean(60, 4).sure
    assert [arrow(51, 53), arrow(45, 49), arrow(49, 52)] == ["▲", "▼", "≈"]


def test_every_colour_is_its_own():
    """Charts are drawn with the light colours, and each is replaced by the variable of its name."""
    assert len(set(LIGHT.values())) == len(COLOURS)
    assert faction_of("Undead") == "undead"
    assert faction_of(None) == faction_of("Robot") == "none"
    assert luminance("#ffffff") == pytest.approx(1)


def test_numbers_have_the_digits_that_they_deserve():
    assert share(53.21, 51.9, 54.6) == "53 (52–55)"
    assert share(53.21, 53.0, 53.4) == "53.2 (53.0–53.4)"
    assert points(2.26, 2.0, 2.5) == "+2.3 (+2.0 to +2.5)"
    assert points(-0.04, -0.3, 0.2) == "0.0 (−0.3 to +0.2)"
    assert (plain(None), signed(None), plain(-0.2), plain(1234.4), signed(-3.4)) == ("–", "–", "0", "1,234", "−3")
    assert (plus_minus(49, 51.4), plus_minus(30, 60), plus_minus(None, None)) == ("±1.2", "±15", "")
    assert odds(0.0) == "chance alone would show this less than once in 1,000 times"
    assert odds(0.01) == "chance alone would show this about once in 100 times"
    assert (short("Ghoul", 10), short("A very long name", 8)) == ("Ghoul", "A very…")


def material(name: str) -> Material:
    return Material("runs/base", *made_up(worlds(market_of(FROZEN))[name]))


def test_titles_state_the_finding():
    titles = {name: chart.title for name, chart in all_charts(material("ordinary")).items()}
    assert titles["overlords"] == "In the best hands, Lilith wins 56.6 of 100 games (56.3–56.8) and Fenris wins 42.4 of 100 games (42.2–42.7)"
    assert titles["matchups"] == "In the best hands, Lilith beats Fenris in 60.8 of 100 games (60.4–61.2)"
    assert titles["seats"] == "In the best hands, going first wins 50.9 of 100 games (50.7–51.0): fair within ±2"
    assert titles["length"] == "Half of the games take 16 to 24 turns; 90 of 100 take 11 to 31"
    assert titles["river"] == "From turn 14 on, half of the games still running are as good as decided: one player has 80 chances in 100 or more"
    assert titles["panel"] == "Lilith is ahead and Fenris is behind with every strategy"
    assert titles["strategies"] == "tuned plays best: it wins 59 of 100 games against the others"
    assert titles["calibration"].startswith("Chances can be taken at their word: what the model says is off by ")
    assert "than the cost suggests" in titles["cost_curve"]
    assert titles["naive"].startswith("Of the 10 cards that look best by win rate when bought, ")
    assert len(titles) == len(DRAWN)
    titles = {name: chart.title for name, chart in all_charts(material("undecided")).items()}
    assert titles["overlords"] == "In the best hands, no overlord is clearly off balance, and not all are known well enough"
    titles = {name: chart.title for name, chart in all_charts(material("two overlords")).items()}
    assert titles["matchups"] == "All match-ups are fair: within 8 points of even"
    assert "panel" not in titles


def test_captions_say_how_many_games_and_which_run():
    for chart in all_charts(material("ordinary")).values():
        assert "Run 0123456789ab." in chart.caption
        assert "games" in chart.caption or "moments" in chart.caption
        assert chart.title in chart.alt


def test_a_figure_has_its_title_and_is_large_enough():
    picture = Image.open(io.BytesIO(png(all_charts(material("ordinary"))["overlords"])))
    assert picture.size[0] == 1600
    assert picture.text["Title"].startswith("In the best hands, Lilith wins")


@pytest.mark.parametrize("wide", [True, False])
def test_drawings_are_safe_and_take_the_pages_colours(wide):
    charts = all_charts(material("hostile"))
    drawings = {name: svg(charts[name], wide) for name in ("overlords", "cost_curve", "river")}
    text = "".join(drawings.values())
    assert "&lt;script&gt;alert(1)&lt;/script" in drawings["overlords"]
    assert "<script" not in text
    assert "&gt;&lt;img src=x onerr" in text
    assert "שלום" in text
    for outside in ("http", "<style", "font-family", "<metadata"):
        assert outside not in text
    assert "var(--ink)" in text
    assert not [colour for colour in LIGHT.values() if colour in text]
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_names_with_signs_that_the_font_does_not_have_are_no_reason_to_stop():
    assert png(all_charts(material("hostile"))["overlords"]).startswith(b"\x89PNG")


def test_whoever_draws_loads_nothing_that_plays_and_no_statistics():
    """It starts beside the first games, on a core that they could have: half a second it takes, and it was two and a half."""
    code = "import sys; from terrors.reports.charts import process; process._load(); print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "matplotlib" in done.stdout.split()
    assert not {"numba", "llvmlite", "joblib", "scipy", "pandas", "seaborn"} & set(done.stdout.split())


def test_a_picture_is_written_as_it_was_drawn():
    pixels = np.random.default_rng(1).integers(0, 256, (7, 5, 4), np.uint8)
    picture = Image.open(io.BytesIO(png_file(pixels, 144, {"Software": "terrors", "Title": "Łódź ▲ שלום"})))
    assert np.array_equal(np.asarray(picture), pixels[:, :, :3])
    assert picture.text == {"Software": "terrors", "Title": "Łódź ▲ שלום"}
    assert picture.info["dpi"] == pytest.approx((144, 144), abs=0.01)
