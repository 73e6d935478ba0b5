"""The page: its numbers are those of the analysis, names stay text, it fits into a file, and it says what is missing."""

import base64
import hashlib
import json
import math
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from terrors.analysis.examples import Examples, examples
from terrors.cli.main import main
from terrors.reports.charts.all_charts import all_charts
from terrors.reports.charts.process import Drawn
from terrors.reports.charts.render import drawn, png, svg
from terrors.reports.inputs import Material, ReportError, read_material
from terrors.reports.page.build import make_report
from terrors.reports.page.page import TEMPLATES, as_json, page, script
from terrors.reports.page.replays import Gallery, Packer
from terrors.reports.page.sections import headline, told_findings
from terrors.reports.wording import begun, size_words, sure_words
from terrors.simulator.runs.job import job_of
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.storage import open_folder
from terrors.simulator.story.story_text import Teller
from terrors.simulator.story.transcript import play_and_tell, strategy_chooser
from tests.support.page_data import World, made_up
from tests.support.pages import HOSTILE, hostile_run, market_of, page_of, small_run, worlds
from tests.support.places import FROZEN

pytestmark = pytest.mark.slow

MOST_BYTES, MOST_SCRIPT = 3_000_000, 30_000
VOID = {"meta", "link", "input", "img", "br"}


class Reader(HTMLParser):
    """Reads a page as a browser does: tables by their id, rows of (text, number behind it); all texts, tags and attributes."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[list[tuple[str, float | None]]]] = {}
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self._table: str | None = None
        self._cell: list | None = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.links.append(found["href"])
        if tag == "table":
            self._table = found["id"]
            self.tables[self._table] = []
        if self._table and tag == "tr":
            self.tables[self._table].append([])
        if self._table and tag in ("td", "th"):
            self._cell = ["", float(found["data-v"]) if "data-v" in found else None]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag
        if tag == "table":
            self._table = None
        if self._cell is not None and tag in ("td", "th"):
            self.tables[self._table][-1].append((" ".join(self._cell[0].split()), self._cell[1]))
            self._cell = None

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data
            if self._cell is not None:
                self._cell[0] += data


def read(path: Path) -> Reader:
    return Reader(path.read_text(encoding="utf-8"))


def material(name: str) -> Material:
    return Material("runs/base", *made_up(worlds(market_of(FROZEN))[name]))


def reader(of: Material) -> Reader:
    """The page of a material; charts with their texts, but not drawn, which takes time."""
    charts = {name: {"name": name, "title": c.title, "caption": c.caption, "alt": c.alt, "wide": "", "narrow": ""} for name, c in all_charts(of).items()}
    return Reader(page(of, Gallery(missing="There are no games in this page."), charts))


@pytest.fixture(scope="module")
def small() -> tuple[Material, Reader]:
    return read_material(open_folder(small_run())), read(page_of(small_run()))


# Numbers


def first_number(text: str) -> float:
    """The number with which a text begins, as people write it."""
    found = re.match(r"[+−]?[\d,]*\.?\d+", text)
    assert found, text
    return float(found.group().replace("−", "-").replace(",", ""))


def check_number(text: str, shown: float | None, value: float) -> None:
    """What is printed is the value with the digits that are printed, and the number behind it is the value."""
    assert shown == pytest.approx(value)
    number = re.match(r"[+−]?[\d,]*(?:\.(\d+))?", text)
    assert number
    assert abs(first_number(text) - value) <= 0.5 * 10 ** -len(number.group(1) or "") + 1e-9


def test_overlords_are_those_of_the_analysis(small):
    found, page = small
    rows = {row["overlord"]: row for row in found.rows("overlords")}
    body = page.tables["table-overlords"][1:]
    assert len(body) == len(rows) == 4
    for name, rate, _, drawn_, pairs, _ in body:
        row = rows[name[0].split(" ", 1)[1]]
        check_number(*rate, row["rate"])
        low, high = (float(end) for end in re.search(r"\((.+)–(.+)\)", rate[0]).groups())
        assert (low, high) == (pytest.approx(row["low"], abs=0.51), pytest.approx(row["high"], abs=0.51))
        assert drawn_[1] == pytest.approx(row["drawn"])
        assert pairs == (f"{row['pairs']:,}", row["pairs"])


@pytest.mark.parametrize("seat", ["both", "first", "second"])
def test_the_matrix_is_that_of_the_analysis(small, seat):
    found, page = small
    cells = {(row["overlord"], row["rival"]): row for row in found.rows("matchups") if row["seat"] == seat}
    head, *body = page.tables[f"matrix-{seat}"]
    names = [text for text, _ in head[1:]]
    for row in body:
        name = row[0][0].split(" ", 1)[1]
        for rival, (text, value) in zip(names, row[1:], strict=True):
            if name == rival:
                assert (text, value) == ("not played", None)
            else:
                check_number(text, value, cells.pop((name, rival))["rate"])
    assert cells == {}


def test_cards_are_those_of_the_analysis(small):
    found, page = small
    rows = {row["card"]: row for row in found.rows("cards")}
    head, *body = page.tables["table-cards"]
    columns = [text for text, _ in head]
    assert len(body) == len(rows)
    for cells in body:
        cell = dict(zip(columns, cells, strict=True))
        row = next(row for name, row in rows.items() if name in cell["Card"][0])
        check_number(*cell["Cost"], row["cost"])
        check_number(*cell["Seen"], row["seen"])
        if row["value"] is None:
            assert (cell["Access value"], cell["Rank"], cell["Verdict"][0]) == (("–", None), ("", None), "")
            continue
        check_number(*cell["Access value"], row["value"])
        check_number(*cell["Rank"], row["rank"])
        for title, column in (("One copy", "per_purchase"), ("Wins when bought", "rate_when_bought"), ("Turn", "first_turn")):
            if row[column] is None:
                assert cell[title] == ("–", None)
            else:
                check_number(*cell[title], row[column])
        finding = next(one for one in found.of_family("cards") if one["subject"]["card"] == row["card"])
        assert cell["Verdict"][0].endswith(finding["class"])


@pytest.mark.parametrize(("table", "column", "values"), [("seats", 1, "rate"), ("groups", 1, "games"), ("influences", 2, "rate")])
def test_other_tables_are_those_of_the_analysis(small, table, column, values):
    found, page = small
    body = [cells[column] for cells in page.tables[f"table-{table}"][1:]]
    assert sorted(value for _, value in body) == pytest.approx(sorted(row[values] for row in found.rows(table)))
    for text, value in body:
        check_number(text, value, value)


def test_every_finding_and_lamp_is_said(small):
    found, page = small
    said = " ".join(page.text.split())
    for finding in found.findings["findings"]:
        assert finding["sentence"] in said
        assert f"finding-{finding['id']}" in page.ids
    for lamp in found.findings["lamps"]:
        assert lamp["sentence"] in said
    for name, plan in found.stands_on["strategies"].items():
        assert f"{name} {plan}" in said.replace(f"{name}{plan}", f"{name} {plan}")
    assert "This is a reference set: most of it is invented." in said
    for row in found.rows("feel"):
        assert row["value"] is None or row["metric"].startswith(("brier", "log_loss")) or row["meaning"] in said
    assert f"{found.games:,} games" in said


# The file


def test_a_page_is_one_file_that_needs_nothing_else(small):
    _, page = small
    text = page_of(small_run()).read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert len(script().encode()) < MOST_SCRIPT
    assert not re.search(r"https?://", text)
    assert not re.search(r"@import|url\((?!#)", text)
    assert not {"img", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    assert [value for name, value in page.attributes if name == "src"] == []
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link.startswith("#")
        assert link[1:] in page.ids
    assert page.tags.count("h1") == page.tags.count("main") == 1


def test_a_default_run_fits(small):
    """Fifteen games of the small run weigh as much as those of any other; the rest of a page does not grow with the number of games."""
    text = page_of(small_run()).read_text(encoding="utf-8")
    games = len(re.search(r'id="replays">(.*?)</script>', text, re.DOTALL).group(1).encode())
    assert len(text.encode()) - games + games / 4 * 15 < MOST_BYTES


def test_the_policy_of_the_page_lets_its_own_script_run():
    text = page_of(small_run()).read_text(encoding="utf-8")
    (code,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in text


@pytest.mark.parametrize("which", ["made up", "real"])
def test_names_stay_text(which):
    page = reader(material("hostile")) if which == "made up" else read(page_of(hostile_run()))
    assert page.tags.count("script") == (1 if which == "made up" else 2)
    assert [name for name, _ in page.attributes if name.startswith("on")] == []
    assert "img" not in page.tags
    for name, _ in HOSTILE:
        assert name in page.text
    assert "49" not in page.text.split("{{7*7}}")[0][-3:]


def test_json_in_a_page_cannot_end_its_element():
    text = as_json({"name": "</script><script>alert(1)</script>&\u2028"})
    assert "<" not in text
    assert "&" not in text
    assert json.loads(text) == {"name": "</script><script>alert(1)</script>&\u2028"}


def test_templates_put_nothing_in_as_it_is_but_what_is_made_here():
    safe = [found for path in TEMPLATES.glob("*.html") for found in re.findall(r"\{\{\s*([\w.]+) \| safe", path.read_text(encoding="utf-8"))]
    assert set(safe) == {"chart.narrow", "chart.wide", "replays", "script", "style"}
    assert "innerHTML" not in script()


# What is missing


def test_a_run_without_a_lottery_says_so():
    page = reader(material("no lottery"))
    assert "table-cards" not in page.tables
    assert "this run denied no cards by lot. terrors simulate --deny-lottery 0.1 does" in page.text


def test_a_run_whose_cards_have_only_associations_says_so():
    found = material("ordinary")
    empty = [pl.lit(None, pl.Float64).alias(name) for name in ("value", "low", "high", "rank")]
    found.tables["cards"] = found.tables["cards"].with_columns(empty)
    page = reader(found)
    assert "table-cards" not in page.tables
    assert "denied no cards by lot" in page.text


def test_a_run_without_turns_says_so():
    page = reader(material("no turns"))
    assert "this run has no table of turns. terrors simulate without --no-turns keeps it" in page.text


def test_a_run_of_one_strategy_says_so():
    assert "One strategy played all games" in reader(material("two overlords")).text


def test_a_page_without_games_says_why():
    assert "There are no games in this page." in reader(material("ordinary")).text


@pytest.mark.parametrize("name", worlds([]))
def test_every_world_has_a_page(name):
    page = reader(material(name))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert "None" not in re.sub(r"None is left out", "", page.text)
    assert "nan" not in page.text.split()


def test_a_world_with_nothing_in_it_has_a_page():
    findings, tables = made_up(World())
    findings |= {"findings": [], "look_first": [], "lamps": []}
    page = reader(Material("runs/base", findings, {"groups": tables["groups"]}))
    assert "Nothing needs a look first" in page.text
    assert page.text.count("terrors analyze") >= 3


# Words


def test_the_headline_names_the_worst():
    found = material("ordinary")
    assert headline(found) == "Off balance: overlords, match\u2011ups and cards."
    for lamp in found.findings["lamps"]:
        lamp["state"] = "undecided" if lamp["family"] == "cards" else "fair"
    assert headline(found) == "Nothing is clearly off balance; not decided yet: cards."
    for lamp in found.findings["lamps"]:
        lamp["state"] = "fair"
    assert headline(found) == "Everything that was asked is fair within your margins."


def test_sureness_in_words():
    finding = {
        "family": "overlords",
        "state": "too strong",
        "pairs": 5000,
        "p": 0.0,
        "size": 6.13,
        "low": 5.2,
        "high": 7.0,
        "unit": "points",
        "sentence": "So it is.",
    }
    assert sure_words(finding) == "Sure (10,000 games): chance alone would show this less than once in 1,000 times."
    assert size_words(finding) == "+6 points (+5 to +7)"
    assert sure_words(finding | {"p": 0.2}) == "Not sure (10,000 games): chance alone would show this about once in 5 times."
    assert sure_words(finding | {"state": "fair"}) == "Sure (10,000 games): a gap beyond the margin is ruled out."
    assert sure_words(finding | {"state": "undecided", "more_games": 2871}) == "Not decided yet (10,000 games); about 2,900 more games would settle it."
    assert sure_words(finding | {"luck": 0.41, "spread": 2.96}).endswith("1,000 times. ±0.4 from luck, ±3.0 from who plays.")
    assert sure_words(finding | {"luck": 0.41}).endswith("±0.4 from luck; who plays is not reckoned with: only one pilot is able.")
    assert begun("Over all strategies, ", "Going first pays") == "Over all strategies, going first pays"
    assert begun("", "Going first pays") == "Going first pays"


# Games


@pytest.fixture(scope="module")
def run() -> Run:
    return Run.open(small_run())


def test_examples_follow_their_rule(run):
    games = run.games.collect().with_columns(pl.col("first_overlord", "second_overlord", "winner", "winner_overlord", "first_strategy").cast(pl.String))
    mine = games.filter(
        (pl.col("first_overlord") == "Lilith") | (pl.col("second_overlord") == "Lilith"), pl.col("first_strategy") == "greedy", pl.col("winner") != "draw"
    )
    left = pl.when(pl.col("winner") == "first").then("first_health").otherwise("second_health")
    typical, closest, swing = examples(run, {"family": "overlords", "subject": {"overlord": "Lilith"}, "group": "greedy", "size": -3})
    least = mine.select(left.min()).item()
    assert closest["game"] == mine.filter(left == least)["game"].min()
    assert closest["why"] == f"closest: {mine.filter(pl.col('game') == closest['game'])['winner_overlord'].item()} wins with {least} Health left"
    row = mine.filter(pl.col("game") == typical["game"])
    assert row["winner_overlord"].item() != "Lilith"  # the finding says that it loses
    assert abs(row["turns"].item() - mine["turns"].median()) <= 2
    turns = run.turns.collect().with_columns(pl.col("seat").cast(pl.String)).join(mine.select("game", "winner"), on="game")
    lead = pl.col("health").cast(pl.Int32) - pl.col("rival_health")
    worst = turns.group_by("game").agg(pl.when(pl.col("seat") == pl.col("winner")).then(-lead).otherwise(lead).max().alias("behind"))
    assert worst.filter(pl.col("game") == swing["game"])["behind"].item() == worst["behind"].max()
    assert f"is {worst['behind'].max()} Health behind" in swing["why"]


def test_examples_of_a_match_up_a_seat_and_a_card(run):
    chooser = Examples(run)
    games = run.games.collect().with_columns(pl.col("first_overlord", "second_overlord", "winner", "first_strategy").cast(pl.String))
    for example in chooser.of({"family": "matchups", "subject": {"overlord": "Fenris", "rival": "Lilith"}, "group": "all", "size": 4}):
        row = games.row(example["game"], named=True)
        assert {row["first_overlord"], row["second_overlord"]} == {"Fenris", "Lilith"}
    typical = chooser.of({"family": "first", "subject": {}, "group": "random", "size": 2})[0]
    assert games.row(typical["game"], named=True)["winner"] == "first"
    assert games.row(typical["game"], named=True)["first_strategy"] == "random"
    card = run.purchases.filter(pl.col("source") == "street").group_by("card").len().sort("len").last().collect()["card"].cast(pl.String).item()
    for example in chooser.of({"family": "cards", "subject": {"card": card}, "group": "all", "size": 2}):
        row = games.row(example["game"], named=True)
        denied = [seat for seat in ("first", "second") if card in row[f"denied_{seat}"]]
        got = run.purchases.filter(pl.col("game") == example["game"], pl.col("card") == card).collect()["seat"].cast(pl.String).unique().to_list()
        assert len(denied) == 1
        assert len(got) == 1
        assert got != denied
        assert f"{'with' if got[0] == row['winner'] else 'without'} {card}" in example["why"]
    assert chooser.of({"family": "overlords", "subject": {"overlord": "Nobody"}, "group": "all", "size": 1}) == []


def test_a_packed_game_is_the_one_that_is_told(run):
    job = job_of(run)
    packer = Packer(job, lambda game, first, second: [12.4, 50.0])
    packed = packer.pack(7)
    players = [job.players[s] for s in job.schedule.strategies_of(7)]
    game = job.schedule.table(7)
    story = play_and_tell(game, [strategy_chooser(player.compiled, player.work(game.box)) for player in players])
    teller = Teller(story.names)
    told = [" ".join(map(str.strip, teller.lines(step))) for step in [*story.setup, *(step for turn in story.turns for step in turn.steps)]]
    assert [packer.lines.texts[line] for _, line, _ in packed["steps"]] == told
    assert packed["end"] == teller.ending(story.result, story.table)
    assert len(packed["turns"]) == len(story.turns)
    assert packed["chances"] == [12, 50]
    state: dict = {}
    for _, _, change in packed["steps"]:
        state |= change
    cards = [text for text, _ in packer.cards()]
    for seat, side in enumerate(story.table.sides):
        assert state[f"health{seat}"] == side.health == packed["health"][-1][seat]
        assert [cards[number] for number in state[f"hand{seat}"]] == list(side.hand)
        assert [len(horde) for horde in state[f"hordes{seat}"]] == [len(horde) for horde in side.hordes]
        assert len(state[f"relics{seat}"]) == len(side.relics)
    assert [cards[number] for number, _ in state["street"]] == [name for name, _ in story.table.street]
    for turn, (seat, first) in zip(story.turns, packed["turns"], strict=True):
        assert seat == turn.seat
        assert packed["steps"][first][0] == turn.number


def test_findings_that_get_games_are_the_pressing_ones():
    found = told_findings(material("ordinary"))
    assert [finding["id"] for finding in found[:3]] == material("ordinary").findings["look_first"]
    assert all(finding["state"] != "fair" for finding in found)


# The command


def terrors(*arguments: str):
    return CliRunner().invoke(main, arguments)


def test_report_writes_the_page_the_figures_and_the_tables(tmp_path):
    out = tmp_path / "x" / "page.html"
    result = terrors("report", str(small_run()), "--out", str(out), "--games", "1", "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["page"] == str(out)
    assert said["bytes"] == out.stat().st_size
    assert said["games"] == 1
    figures, tables = ({path.name for path in (tmp_path / "x" / "page_files" / name).iterdir()} for name in ("figures", "tables"))
    assert {"overlords.png", "cost_curve.png", "river.png"} <= figures
    assert len(figures) == said["figures"]
    assert {"overlords.csv", "cards.csv"} <= tables
    table = pl.read_csv(tmp_path / "x" / "page_files" / "tables" / "overlords.csv")
    assert table.equals(pl.read_csv(small_run() / "analysis" / "overlords.csv"))


def test_report_goes_into_the_run_and_takes_away_what_was_there(tmp_path, monkeypatch):
    some = {name: Drawn({"name": name, "title": "", "caption": "", "alt": "", "wide": "", "narrow": ""}, b"") for name in ("matchups", "overlords")}
    monkeypatch.setattr("terrors.reports.page.build.draw", lambda material: some)
    folder = tmp_path / "run"
    shutil.copytree(small_run(), folder)
    stale = folder / "report" / "figures" / "old.png"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"")
    done = make_report(str(folder), games=0)
    assert done.page == f"{folder}/report/index.html"
    assert not stale.exists()
    assert (folder / "report" / "figures" / "overlords.png").exists()
    assert "Games were left out of this page" in (folder / "report" / "index.html").read_text(encoding="utf-8")


def test_what_cannot_be_reported_is_said_in_one_sentence(tmp_path):
    result = terrors("report", str(tmp_path))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "there is no run here" in result.stderr
    folder = tmp_path / "run"
    shutil.copytree(small_run(), folder, ignore=shutil.ignore_patterns("analysis"))
    result = terrors("report", str(folder))
    assert result.stderr == f"{folder}: there is no analysis of this run yet; `terrors analyze {folder}` makes one.\n"
    result = terrors("report", str(small_run()), "--out", str(tmp_path))
    assert "this is a folder; give the name of a file" in result.stderr
    (folder / "analysis").mkdir()
    for text, words in (("[", "this is no JSON"), ('{"format": 9}', "written by another version"), ('{"format": 2}', "is missing")):
        (folder / "analysis" / "findings.json").write_text(text, encoding="utf-8")
        with pytest.raises(ReportError, match=words):
            make_report(str(folder))


def test_drawn_charts_have_both_widths():
    charts = all_charts(material("two overlords"))
    found, _ = drawn(charts["overlords"])
    assert found["wide"].startswith('<svg viewBox="0 0 800 ')
    assert found["narrow"].startswith('<svg viewBox="0 0 336 ')
    assert "wide" not in drawn(charts["matchups"])[0]
    assert math.isfinite(float(re.search(r'height="(\d+)"', found["wide"]).group(1)))


@pytest.mark.parametrize("name", ["overlords", "cost_curve", "river"])
def test_the_forms_of_a_chart_come_from_one_sheet_and_do_not_show_it(name):
    chart = all_charts(material("two overlords"))[name]
    found, picture = drawn(chart)
    assert picture == png(chart)
    assert (found["wide"], found["narrow"]) == (svg(chart, True), svg(chart, False))
