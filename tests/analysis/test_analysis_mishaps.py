"""What people do to analyses: strange runs, bad input, damaged and foreign files, disks that are full. Each ends in tables that hold or in one sentence."""

import hashlib
import json
import math
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from terrors.analysis.analyze import write_table
from terrors.analysis.contract.findings_schema import FINDINGS
from terrors.analysis.contract.groups import group_name, is_mixed
from terrors.analysis.contract.sentences import interval
from terrors.analysis.source.source import Source
from terrors.analysis.verdicts.judge import sized
from terrors.reports.charts.process import DrawingProcess, Drawn
from terrors.reports.inputs import Material, ReportError, read_material, read_table
from terrors.reports.page.build import make_report
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.storage import Folder, FolderError, open_folder
from terrors.simulator.terms.errors import AnalysisError, RunError
from terrors.simulator.terms.shape import misfit
from tests.support.commands import refused, terrors, worked
from tests.support.damage import damaged
from tests.support.places import FROZEN, ROOT
from tests.support.small_set import Rows, base, row, written

pytestmark = pytest.mark.slow

TWO = Plan(games=120, cards=str(FROZEN), overlords=("Fenris", "Lilith"))
SCRIPT = '"""Takes an option."""\nfrom terrors import strategy\n\n@strategy\ndef choose(game, box, options, work, me):\n    return {}\n'


def numbers_in(data: object) -> list[float]:
    if isinstance(data, dict | list):
        return [number for value in (data.values() if isinstance(data, dict) else data) for number in numbers_in(value)]
    return [data] if isinstance(data, float) else []


SHARES = ("overlords", "matchups", "seats", "strategies", "influences", "nash", "metagame", "calibration")  # tables whose intervals lie between 0 and 100
OF_100 = ("rate", "share", "drawn", "weight", "cyclic", "noise_floor", "won", "chance", "seen", "affordable", "bought_when_affordable", "rate_when_bought")
POOR = (
    r"\b1 (games|cards|overlords|match-ups|deals|metrics)\b",
    r"\bnan\b",
    r"\binf\b",
    r"\bNone\b",
    r"−0(\.0+)?\b(?![.\d])",
    r"[.,;:?]\.",
    r"\s[,.;:]",
    r"\ba no\b",
)


def sound(folder: Path) -> dict:
    """The findings of an analysis, after a look at all that it wrote: numbers that are numbers, where they can be, in order; sentences in English."""
    text = (folder / "findings.json").read_text(encoding="utf-8")
    data = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in findings.json"))
    assert all(math.copysign(1, number) > 0 for number in numbers_in(data) if number == 0)
    assert misfit(data, FINDINGS) is None
    sentences = [found["sentence"] for found in data["findings"]] + [lamp["sentence"] for lamp in data["lamps"]] + data["stands_on"]["warnings"]
    assert [(sentence, poor) for sentence in sentences for poor in POOR if re.search(poor, sentence)] == []
    for path in folder.glob("*.parquet"):
        table = pl.read_parquet(path)
        for name in (column for column in table.columns if table[column].dtype.is_float()):
            values = table[name].drop_nulls().to_numpy()
            assert np.isfinite(values).all(), (path.name, name)
            assert not (np.signbit(values) & (values == 0)).any(), (path.name, name)
            if name in OF_100 or (name in ("low", "high") and path.stem in SHARES):
                assert ((values >= 0) & (values <= 100 + 1e-9)).all(), (path.name, name)
        for value, low, high in (("rate", "low", "high"), ("value", "low", "high"), ("rank", "rank_low", "rank_high"), ("won", "low", "high")):
            if {value, low, high} <= set(table.columns):
                wrong = table.filter((pl.col(value) < pl.col(low) - 1e-9) | (pl.col(value) > pl.col(high) + 1e-9))
                assert wrong.is_empty(), (path.name, wrong)
        assert len(pl.read_csv(path.with_suffix(".csv"), infer_schema=False)) == len(table)
    return data


def analysed(plan: Plan, out: Path, *options: str) -> dict:
    simulate(plan, out, jobs=1)
    worked("analyze", out, *options)
    return sound(out / "analysis")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A small run with its analysis."""
    out = tmp_path_factory.mktemp("whole") / "run"
    analysed(TWO, out)
    return out


@pytest.fixture
def out(tmp_path, whole) -> Path:
    """The same, to be spoiled."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


CHARTS = ("overlords", "matchups", "seats", "cost_curve", "naive", "length", "river", "panel", "strategies", "calibration")
BLANK = {name: Drawn(dict.fromkeys(("name", "title", "caption", "alt", "wide", "narrow"), ""), b"") for name in CHARTS}


@pytest.fixture
def undrawn(monkeypatch) -> None:
    """Pages without pictures, which take most of the time."""
    monkeypatch.setattr("terrors.reports.page.build.draw", lambda material: BLANK)
    monkeypatch.setattr(DrawingProcess, "draw", lambda self, material: lambda: BLANK)


# Runs of strange shape


def small(market: list[str], overlords: list[str]) -> Rows:
    """A card set with these names."""
    factions = ("Spirit", "Beast", "Undead", "Mortal")
    rows = [one for one in base() if one["pile"] in ("starting", "acolyte")]
    for i, name in enumerate(overlords):
        rows.append(row(name, "overlord", "Overlord", health="20", faction=factions[i % 4]))
        rows += [row(f"{name} {k}", "influence", "Influence", overlord=name, abilities=f"{k} Coin", beginner="yes" if k < 3 else "") for k in (1, 2, 3)]
    for i, name in enumerate(market):
        rows.append(row(name, "market", "Monster", faction=factions[i % 4], cost=str(1 + i % 5), copies=str(1 + i % 3), abilities=f"{1 + i % 4} Power; 1 Coin"))
    return rows


STRANGE = {
    "two games": TWO.but(games=2),
    "two games, lottery": TWO.but(games=2, deny_lottery=0.1),
    "a game of each of three pilots": TWO.but(games=6, strategies=("greedy", "random")),
    "mirrors alone": TWO.but(games=40, overlords=("Fenris",), mirrors=True, deny_lottery=0.1),
    "nobody ever wins": TWO.but(rules={"max_turns": 2}, deny_lottery=0.1),
    "hardly any action": TWO.but(rules={"max_actions": 3}),
    "nearly all is denied": TWO.but(games=240, deny_lottery=0.9),
    "hardly anything is denied": TWO.but(deny_lottery=0.001),
    "a denial and a lottery": TWO.but(games=240, deny=("Ghoul", "Werewolf:first"), remove=("Mudlark",), deny_lottery=0.2),
    "all Influence cards": TWO.but(influences="all"),
    "one of two always loses": TWO.but(strategies=("greedy", "random"), pairing="vs:control"),
    "stopped by what it saw": TWO.but(games=2_000, until="±9"),
    "no turns": TWO.but(turns=False),
}


@pytest.mark.parametrize("name", STRANGE)
def test_runs_of_strange_shape(tmp_path, name):
    data = analysed(STRANGE[name], tmp_path / "run")
    if name == "mirrors alone":
        assert [lamp["state"] for lamp in data["lamps"]][:3] == ["not measured", "not measured", "undecided"]
        assert (data["findings"][0]["family"], data["findings"][0]["pairs"]) == ("first", 20)  # going first is told from mirrors where there is nothing else
    if name.startswith("two games"):
        assert {found["state"] for found in data["findings"]} == {"undecided"}  # of one deal nothing can be claimed


HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\", 'it' & co",
    "💀 – 💀",
    "ריש لقيش",
    "pipe | % {} {0} %s",
    "$x^2$ \\alpha",
    "../../etc",
    "=1+1",
    "all",
    "nan",
    "x" * 60,
]


def test_names_that_mean_something_elsewhere(tmp_path):
    """They are text in every table, in the findings and in the page."""
    file = tmp_path / "cards.csv"
    file.write_text(written(small(HOSTILE, ["<b>Over</b>" + 49 * "y", "Lord, the “last”\uffff"])), encoding="utf-8")
    simulate(Plan(games=240, cards=str(file), deny_lottery=0.6), tmp_path / "run", jobs=1)
    worked("analyze", tmp_path / "run", "--no-feel")
    told = {"'=1+1" if name == "=1+1" else name for name in HOSTILE}  # a spreadsheet would run it
    assert set(pl.read_csv(tmp_path / "run" / "analysis" / "cards.csv", infer_schema=False)["card"]) == told
    page = Path(make_report(str(tmp_path / "run"), games=0).page).read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<b>Over</b>" not in page


def test_one_card_in_the_market(tmp_path, undrawn):
    file = tmp_path / "cards.csv"
    file.write_text(written(small(["Ghoul"], ["Fenris", "Lilith"])), encoding="utf-8")
    analysed(Plan(games=60, cards=str(file), deny_lottery=0.1), tmp_path / "run")
    make_report(str(tmp_path / "run"), games=1)


def test_strategies_whose_names_look_like_groups(tmp_path):
    """A file may be called all.py, or `a – b.py`: their games are not added to those of others."""
    assert [group_name(*names) for names in (("a", "a"), ("b", "a"), ("all", "all"), ("a – b", "a – b"), ("a – b", "a"))] == [
        "a", "a – b", "“all”", "“a – b”", "a – “a – b”",
    ]  # fmt: skip
    assert [is_mixed(name) for name in ("a", "a – b", "“all”", "“a – b”", "a – “a – b”")] == [False, True, False, False, True]
    files = []
    for name, choice in (("all", "0"), ("a – b", "options.n - 1"), ("a", "0"), ("b", "options.n // 2")):
        files.append(tmp_path / f"{name}.py")
        files[-1].write_text(SCRIPT.format(choice), encoding="utf-8")
    simulate(TWO.but(games=128, strategies=tuple(map(str, files)), rules={"max_turns": 20}), tmp_path / "run", jobs=1)
    worked("analyze", tmp_path / "run")
    sound(tmp_path / "run" / "analysis")
    groups = pl.read_parquet(tmp_path / "run" / "analysis" / "groups.parquet")
    assert sorted(zip(groups["group"], groups["games"], strict=True)) == sorted(
        [
            ("a", 8),
            ("a – b", 16),
            ("a – “all”", 16),
            ("a – “a – b”", 16),
            ("b", 8),
            ("“all”", 8),
            ("“all” – b", 16),
            ("“a – b”", 8),
            ("“a – b” – b", 16),
            ("“a – b” – “all”", 16),
        ]
    )
    overlords = pl.read_parquet(tmp_path / "run" / "analysis" / "overlords.parquet")
    assert overlords.select("group", "overlord").is_unique().all()
    check_tables(tmp_path / "run")


# Numbers, against loops over the rows of the games table


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def pairs_of(folder: Path) -> list[dict]:
    """Both legs of every pair, as plain rows; shares of the match-up's first overlord as first and as second player, and of who goes first."""
    rows = pl.read_parquet(folder / "games" / "*.parquet").sort("game").to_dicts()
    points = {"first": 1.0, "second": 0.0, "draw": 0.5}
    found = []
    for one, two in zip(rows[::2], rows[1::2], strict=True):
        assert (one["pair"], one["leg"], two["leg"]) == (two["pair"], 0, 1)
        group = group_name(one["first_strategy"], one["second_strategy"])
        mine, theirs = points[one["winner"]], points[two["winner"]]
        found.append({"legs": (one, two), "seed": one["seed"], "a": one["first_overlord"], "b": one["second_overlord"], "sa": one["first_strategy"],
                      "sb": one["second_strategy"], "group": group, "first": mine, "second": 1 - theirs, "going": (mine + theirs) / 2})  # fmt: skip
    return found


def shares_of(pairs: list[dict], group: str, what: str) -> dict[tuple[str, str], float]:
    """By match-up: the mean over deals; a deal is the mean over its groups, a group the mean over its pairs."""
    deals: dict = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for pair in pairs:
        if group in (pair["group"], "all"):
            deals[pair["a"], pair["b"]][pair["seed"]][pair["group"]].append(pair[what])
    return {match_up: mean(mean(mean(own) for own in groups.values()) for groups in found.values()) for match_up, found in deals.items()}


def of_overlord(first: dict, second: dict, overlord: str) -> float:
    """Its share against each rival, mirrors left out; `second` is what it has where it is named second, turned round."""
    return mean(first[a, b] if a == overlord else 1 - second[a, b] for a, b in first if a != b and overlord in (a, b))


def check_tables(folder: Path) -> None:
    """Compare all win rates of an analysis with loops."""
    pairs, tables = pairs_of(folder), {path.stem: pl.read_parquet(path) for path in (folder / "analysis").glob("*.parquet")}
    for name in ("overlords", "matchups", "seats", "influences"):  # the best hands are another matter: test_best_hands.py
        tables[name] = tables[name].filter(pl.col("group") != "best hands")
    by_group = {group: {what: shares_of(pairs, group, what) for what in ("first", "second", "going")} for group in {"all", *(pair["group"] for pair in pairs)}}
    for one in tables["overlords"].iter_rows(named=True):
        shares = by_group[one["group"]]
        both = {match_up: (shares["first"][match_up] + shares["second"][match_up]) / 2 for match_up in shares["first"]}
        assert one["rate"] == pytest.approx(100 * of_overlord(both, both, one["overlord"])), one
        mine = [pair for pair in pairs if one["group"] in (pair["group"], "all") and one["overlord"] in (pair["a"], pair["b"]) and pair["a"] != pair["b"]]
        assert one["pairs"] == len(mine)
        assert one["drawn"] == pytest.approx(100 * mean(leg["winner"] == "draw" for pair in mine for leg in pair["legs"]))
    for one in tables["matchups"].iter_rows(named=True):
        shares, (a, b) = by_group[one["group"]], (one["overlord"], one["rival"])
        first, second = (
            (shares["first"][a, b], shares["second"][a, b]) if (a, b) in shares["first"] else (1 - shares["second"][b, a], 1 - shares["first"][b, a])
        )
        assert one["rate"] == pytest.approx(100 * {"both": (first + second) / 2, "first": first, "second": second}[one["seat"]]), one
    for one in tables["seats"].iter_rows(named=True):
        shares = by_group[one["group"]]
        if one["rival"]:
            expected = shares["going"][one["overlord"], one["rival"]]
        elif one["overlord"]:
            expected = of_overlord(shares["first"], shares["second"], one["overlord"])
        else:
            plain = [share for (a, b), share in shares["going"].items() if a != b]
            expected = mean(plain or shares["going"].values())
        assert one["rate"] == pytest.approx(100 * expected), one
    for one in tables["strategies"].iter_rows(named=True):
        sides = [pair | {"won": (pair["first"] + pair["second"]) / 2} for pair in pairs if {pair["sa"], pair["sb"]} == {one["strategy"], one["rival_strategy"]}]
        own = [pair | {"won": pair["won"] if pair["sa"] == one["strategy"] else 1 - pair["won"]} for pair in sides]
        assert one["rate"] == pytest.approx(100 * mean(shares_of(own, "all", "won").values())), one
    for one in tables["influences"].iter_rows(named=True) if "all" in set(tables["overlords"]["group"]) else ():
        assert one["rate"] == pytest.approx(100 * naive_influences(pairs, one)), one


def naive_influences(pairs: list[dict], wanted: dict) -> float:
    """What an overlord wins with some Influence cards: the mean over rivals of the mean over deals."""
    won: dict = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        for leg in pair["legs"] if wanted["group"] in (pair["group"], "all") else ():
            for seat, other in (("first", "second"), ("second", "first")):
                me, rival = leg[f"{seat}_overlord"], leg[f"{other}_overlord"]
                if me == wanted["overlord"] != rival and leg[f"{seat}_influences"] == wanted["influences"]:
                    won[rival][leg["seed"]].append(0.5 if leg["winner"] == "draw" else float(leg["winner"] == seat))
    return mean(mean(mean(own) for own in deals.values()) for deals in won.values())


def naive_values(pairs: list[dict], group: str, market: list[str]) -> np.ndarray:
    """Access values by NumPy's least squares, with a dummy for every cell and leg. In `all`, every group of a deal has the same weight."""
    games = [leg for pair in pairs if group in (pair["group"], "all") for leg in pair["legs"]]

    def place(game: dict) -> tuple:
        return tuple(game[name] for name in ("first_overlord", "second_overlord", "first_strategy", "second_strategy", "leg"))

    def side(game: dict) -> tuple:
        return frozenset((game["first_overlord"], game["second_overlord"])), group_name(game["first_strategy"], game["second_strategy"])

    places = sorted({place(game) for game in games})
    cells = {(place(game)[:4] if game["leg"] == 0 else (place(game)[1], place(game)[0], place(game)[3], place(game)[2])): side(game) for game in games}
    alike = {one: list(cells.values()).count(one) for one in cells.values()}
    x, y = np.zeros((len(games), len(market) + len(places))), np.zeros(len(games))
    for i, game in enumerate(games):
        x[i, : len(market)] = [(card in game["denied_second"]) * 1.0 - (card in game["denied_first"]) for card in market]
        x[i, len(market) + places.index(place(game))] = 1
        y[i] = {"first": 1.0, "second": 0.0, "draw": 0.5}[game["winner"]]
    root = np.array([alike[side(game)] ** -0.5 if group == "all" else 1.0 for game in games])
    return 100 * np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0][: len(market)]


@pytest.fixture(scope="module")
def panel(tmp_path_factory) -> Path:
    """Three strategies each against each, parts that cut deals in two, Influence cards by lot, a lottery, draws."""
    file = tmp_path_factory.mktemp("panel") / "cards.csv"
    file.write_text(written(small(["A", "B", "C", "D", "E", "F"], ["X", "Y", "Z"])), encoding="utf-8")
    plan = Plan(games=1_620, cards=str(file), strategies=("greedy", "random", "control"), deny_lottery=0.8, influences="all", rules={"max_turns": 14})
    simulate(plan, file.parent / "run", jobs=1, chunk=170)
    worked("analyze", file.parent / "run")
    return file.parent / "run"


def test_win_rates_are_what_loops_over_games_find(panel):
    sound(panel / "analysis")
    check_tables(panel)


@pytest.fixture(scope="module")
def strangers(panel, tmp_path_factory) -> Path:
    """The same pilots, who never meet: every game counts, whoever played it."""
    run = tmp_path_factory.mktemp("strangers") / "run"
    simulate(Plan.read(panel / "plan.toml").but(pairing="mirror", games=810), run, jobs=1, chunk=170)
    worked("analyze", run)
    return run


def test_win_rates_of_pilots_who_never_met_are_means_over_all_of_them(strangers):
    check_tables(strangers)


def test_card_tables_are_what_loops_over_games_find(strangers):
    panel = strangers
    pairs, cards = pairs_of(panel), pl.read_parquet(panel / "analysis" / "cards.parquet")
    games = {leg["game"]: (leg, pair["group"]) for pair in pairs for leg in pair["legs"]}
    got: dict = defaultdict(list)
    for one in pl.read_parquet(panel / "purchases" / "*.parquet").iter_rows(named=True):
        got[one["card"], one["game"], one["seat"]].append(one["turn"])
    market = sorted(set(cards["card"]))
    for (group,), rows in cards.group_by(["group"]):
        mine = [number for number, (_, of) in games.items() if group in (of, "all")]
        values = naive_values(pairs, str(group), market)
        assert rows["value"].null_count() == 0
        for one in rows.iter_rows(named=True):
            assert one["value"] == pytest.approx(values[market.index(one["card"])]), one
            assert one["denials"] == sum(one["card"] in games[n][0]["denied_first"] or one["card"] in games[n][0]["denied_second"] for n in mine)
            owned = {key: turns for key, turns in got.items() if key[0] == one["card"] and key[1] in set(mine)}
            assert one["bought"] == pytest.approx(sum(map(len, owned.values())) / 2 / len(mine))
            assert one["first_turn"] == pytest.approx(mean(min(turns) for turns in owned.values()))
            won = [0.5 if games[n][0]["winner"] == "draw" else float(games[n][0]["winner"] == seat) for _, n, seat in owned]
            assert one["rate_when_bought"] == pytest.approx(100 * mean(won))


def test_differences_are_what_loops_over_games_find(panel, tmp_path):
    plan = Plan.read(panel / "plan.toml").but(set=("A.cost=5",))
    simulate(plan, tmp_path / "after", jobs=1)
    data = json.loads(worked("compare", panel, tmp_path / "after", "--json"))
    assert data["paired"] == 1
    sides = {"before": pairs_of(panel), "after": pairs_of(tmp_path / "after")}
    for one in data["differences"]:
        if one["group"] == "best hands":
            continue
        assert -100 <= one["low"] <= one["difference"] <= one["high"] <= 100
        for side, pairs in sides.items():
            if one["family"] == "first":
                expected = mean(shares_of(pairs, one["group"], "going").values())
            else:
                first, second = (shares_of(pairs, one["group"], what) for what in ("first", "second"))
                both = {match_up: (first[match_up] + second[match_up]) / 2 for match_up in first}
                expected = both[one["overlord"], one["rival"]] if one["rival"] else of_overlord(both, both, one["overlord"])
            assert one[side] == pytest.approx(100 * expected), one


# Words


def test_words_for_small_and_negative_numbers():
    assert sized(0.4, "gap") == "no practical gap"
    assert sized(-4, "change") == "a clear change"
    assert interval(-0.2, -0.4, -0.1) == "−0.2 (−0.4 to −0.1)"


# Comparing what hardly can be


def test_comparing_strange_runs(whole, out, tmp_path):
    mirror = simulate(STRANGE["mirrors alone"], tmp_path / "mirror", jobs=1).folder.address
    assert "No difference is clear" in worked("compare", mirror, mirror)
    other = simulate(TWO.but(games=4, overlords=("Azazael", "Methuselah")), tmp_path / "other", jobs=1).folder.address
    assert refused("compare", whole, other).endswith("nothing in them can be compared; simulate both with the same --overlords.")
    wider = simulate(TWO.but(games=96, overlords=("Azazael", "Fenris", "Lilith", "Methuselah")), tmp_path / "wider", jobs=1).folder.address
    assert "100 of 100 deals are the same in both runs" in worked("compare", out, wider)  # of those that both could have
    two = simulate(TWO.but(games=2, seed=5), tmp_path / "two", jobs=1).folder.address
    assert re.search(r"every headline is known to ±\d\d points", worked("compare", out, two))


@pytest.mark.parametrize("content", [b"", b"junk", None])
def test_comparing_with_a_damaged_table_of_cards(whole, out, content):
    path = out / "analysis" / "cards.parquet"
    if content is None:
        pl.DataFrame({"group": ["all"]}).write_parquet(path)
    else:
        path.write_bytes(content)
    assert refused("compare", whole, out).endswith(f"`terrors analyze {out}` makes it anew.")


def test_pooling_runs_with_other_cards(whole, out, tmp_path):
    file = tmp_path / "cards.csv"
    file.write_text(written(small(["A", "B"], ["X", "Y"])), encoding="utf-8")
    simulate(Plan(games=20, cards=str(file), seed=2), tmp_path / "small", jobs=1)
    assert "differ in the cards" in refused("analyze", out, tmp_path / "small")
    worked("analyze", out, tmp_path / "small", "--pool", "--no-feel")
    assert set(pl.read_parquet(out / "analysis" / "overlords.parquet")["overlord"]) == {"Fenris", "Lilith", "X", "Y"}


# Bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("analyze", "RUN", "--margin", "overlord=nan"), "margin overlord: nan is not possible; give points of win rate between 0 and 50"),
        (("analyze", "RUN", "--confirm", "-1"), "-1 is not in the range"),
        (("analyze", "RUN", "--margins", "."), "the margins cannot be read (Is a directory)"),
        (("analyze", "RUN", "--out", "RUN/run.json"), "there is a file where a folder is needed; give another --out."),
        (("analyze", "RUN", "--out", "x" * 300), "File name too long; give another --out"),
        (("analyze", "RUN/games"), "there is no run here"),
        (("report", "RUN", "--games", "0", "--out", "RUN/run.json/page.html"), "there is a file where a folder is needed; give another --out."),
        (("report", "RUN", "--games", "0", "--out", "RUN"), "this is a folder; give the name of a file"),
        (("card", "Ghoul", "--to", "nan"), "--to nan: give points of win rate between 0 and 50"),
        (("card", "Ghoul", "--to", "-1"), "--to -1: give points of win rate"),
        (("card", "Ghoul", "--margin", "inf"), "--margin inf: give points of win rate"),
        (("card", "Ghoul", "--deals", "0"), "--deals 0: give a number from 1 to 10,000,000"),
        (("card", "Ghoul", "--fork-deals", "9" * 30), "give a number from 0 to 10,000,000"),
        (("handicap", "--games", "0"), "--games 0: give a number from 1 to 10,000,000"),
        (("handicap", "--sizes", "3,4,99999999999999999999"), "give a whole number from 0 to 30"),
        (("balance", "--games", "0"), "games: 0 is not possible; give a whole number from 1"),
    ],
)
def test_options_that_cannot_be(out, undrawn, arguments, said):
    assert said in refused(*(argument.replace("RUN", str(out)) for argument in arguments))
    assert (out / "analysis" / "findings.json").exists()  # what was there is still there


def test_a_metric_that_is_misspelt_in_a_margins_file(out, tmp_path):
    (tmp_path / "margins.toml").write_text("[feel]\ncomeback = [1, 2]\n", encoding="utf-8")
    assert refused("analyze", out, "--margins", tmp_path / "margins.toml").endswith("there is no entry 'comeback'; did you mean comebacks?")


def test_one_deal_of_each_is_enough_to_say_that_nothing_is_known():
    who = ("--cards", FROZEN, "--strategies", "greedy", "--overlords", "Fenris,Lilith", "--jobs", "1")
    text = worked("card", "Ghoul", "--deals", "1", "--fork-deals", "0", *who)
    assert "undecided at your ±" in text
    assert "Nobody was ever" not in text  # nobody looked
    assert not re.search(r"1[0-9][1-9]", text.partition("Access")[2])  # no interval beyond ±100
    assert "cannot be told from these games; play more (--games), or try other sizes" in worked("handicap", "--games", "1", "--rule", "max_turns=1", *who)


# What lies in the folders


def places(data: object, path: tuple = ()) -> list[tuple]:
    """Every entry of nested data; of a list the first."""
    items = list(data.items()) if isinstance(data, dict) else list(enumerate(data[:1])) if isinstance(data, list) else []
    return [found for key, value in items for found in ((*path, key), *places(value, (*path, key)))]


def test_findings_with_any_entry_missing_or_of_another_kind(out):
    """They are refused in one sentence, or a page can be made of them."""
    from terrors.reports.page.page import page
    from terrors.reports.page.replays import Gallery
    from terrors.reports.page.sections import told_findings

    file = out / "analysis" / "findings.json"
    text = file.read_text(encoding="utf-8")
    without_checksums(out)
    refusals = 0
    for path in [path for path in places(json.loads(text)) if len(path) < 4]:
        for value in ("gone", -1, [], "x"):
            file.write_text(damaged(text, path, value), encoding="utf-8")
            try:
                material = read_material(open_folder(out))
            except ReportError as error:
                refusals += 1
                assert str(error).endswith(f"`terrors analyze {out}` makes it anew.")  # noqa: PT017
            else:
                told_findings(material)
                if refusals % 16 == 0:  # some of them: a page takes a while
                    page(material, Gallery(), {name: blank.chart for name, blank in BLANK.items()})
    assert refusals > 50


def without_checksums(run: Path) -> None:
    """As an earlier version wrote it, or somebody who knows how to change it."""
    (run / "analysis" / "checksums.json").unlink()


def test_no_report_shows_what_has_changed_since_it_was_reckoned(out):
    """Whichever bit of whichever file of the analysis; that a change of a CSV file, which nobody reads, changes nothing."""
    folder, luck = open_folder(out), random.Random(1)
    right = read_material(folder)
    for file in sorted((out / "analysis").iterdir()):
        if file.name == ".lock":
            continue
        for _ in range(3):
            data = file.read_bytes()
            at = luck.randrange(len(data))
            file.write_bytes(data[:at] + bytes([data[at] ^ 1 << luck.randrange(8)]) + data[at + 1 :])
            if file.suffix == ".csv" or file.name in ("checksums.json", "chances.json"):
                assert read_material(folder).findings == right.findings
            else:
                with pytest.raises(ReportError, match=rf"{file.name}: its content has changed since it was written; `terrors analyze {out}` makes it anew\."):
                    read_material(folder)
            file.write_bytes(data)
    assert json.loads((out / "analysis" / "checksums.json").read_text(encoding="utf-8"))["files"].keys() == {
        file.name for file in (out / "analysis").iterdir() if file.name not in (".lock", "checksums.json")
    }
    assert read_material(folder).findings == right.findings


def test_a_table_that_is_added_to_an_analysis_is_known_too(out):
    folder = open_folder(out)
    write_table(open_folder(out / "analysis"), "nash", read_table(folder, "nash").head(1))
    assert len(read_table(folder, "nash")) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 2}', "[" * 100_000])
def test_findings_of_another_format(out, text):
    without_checksums(out)
    (out / "analysis" / "findings.json").write_text(text, encoding="utf-8")
    assert refused("report", out).endswith(f"`terrors analyze {out}` makes it anew.")


@pytest.mark.parametrize("text", ["", "[]", "null", '{"overlords": 3, "models": {}}'])
def test_a_model_of_chances_that_is_none(out, undrawn, text):
    without_checksums(out)
    (out / "analysis" / "chances.json").write_text(text, encoding="utf-8")
    with pytest.raises(ReportError, match=r"chances\.json: it was written by another version; `terrors analyze"):
        make_report(str(out), games=1)


@pytest.mark.parametrize("table", ["games", "turns"])
def test_a_report_of_a_run_with_damaged_parts(out, undrawn, table):
    part = next((out / table).iterdir())
    size = part.stat().st_size
    part.write_bytes(bytes(size))
    with pytest.raises(RunError, match=rf"{part.name}: this part is damaged \(its content has changed"):
        make_report(str(out), games=1)
    if table == "games":
        assert "this part is damaged" in refused("compare", out, out)
    unsealed = json.loads((out / "run.json").read_text(encoding="utf-8"))
    del unsealed["checksum"]
    checksum = unsealed["parts"][0]["files"][table]["sha256"]
    text = json.dumps(unsealed).replace(checksum, hashlib.sha256(bytes(size)).hexdigest())  # by somebody who knows how
    (out / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(AnalysisError, match=r"a part cannot be read .*`terrors verify` says which"):
        make_report(str(out), games=1)
    part.write_bytes(b"")
    assert f"{part.name}: this part is damaged" in refused("report", out)


def test_an_analysis_of_another_run_is_not_reported(out):
    """`simulate --overwrite` leaves the analysis of the run before."""
    simulate(TWO.but(seed=2), out, jobs=1, overwrite=True)
    assert "it is about another run than the one that is in this folder now" in refused("report", out)


def test_an_analysis_of_less_of_a_run_is_not_reported(out):
    file = out / "analysis" / "findings.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"games": 120', '"games": 60'), encoding="utf-8")
    without_checksums(out)
    assert "it is about 60 games, and there are 120 now; `terrors analyze" in refused("report", out)


def test_a_run_whose_cards_or_plan_were_edited_is_not_analysed(out):
    """Names in the tables are numbers: with other cards they would be other names."""
    info = json.loads((out / "run.json").read_text(encoding="utf-8"))
    del info["checksum"]
    (out / "run.json").write_text(json.dumps(info), encoding="utf-8")
    for name, old, new in (("cards.csv", "Ghoul", "Ghoulash"), ("run.json", '"seed": 1', '"seed": 2')):
        text = (out / name).read_text(encoding="utf-8")
        (out / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        said = refused("analyze", out)
        assert f"/{name}: " in said
        assert said.endswith("is not what the run was played with; the command that made the run puts it back.")
        (out / name).write_text(text, encoding="utf-8")


def test_a_run_of_another_engine_or_with_a_strategy_that_changed(out, undrawn):
    """The rows are what they are; only the games cannot be shown."""
    info = json.loads((out / "run.json").read_text(encoding="utf-8"))
    info["identity"]["engine"] = info["identity"]["strategies"]["greedy"] = "0"
    del info["command"], info["cards"], info["checksum"]
    (out / "run.json").write_text(json.dumps(info), encoding="utf-8")
    worked("analyze", out, "--no-feel")
    assert make_report(str(out), games=1).missing.startswith("The games cannot be played again here: strategy greedy has changed; the rules engine")


# Writing


def test_a_writer_that_is_stopped_leaves_nothing_that_looks_finished(out, monkeypatch):
    write = Folder.write

    def stopping(folder: Folder, name: str, data: bytes) -> None:
        if name == "matchups.csv":
            raise KeyboardInterrupt
        write(folder, name, data)

    monkeypatch.setattr(Folder, "write", stopping)
    assert terrors("analyze", out, "--no-feel").exit_code == 130
    monkeypatch.undo()
    assert not (out / "analysis" / "findings.json").exists()
    assert "there is no analysis of this run yet" in refused("report", out)
    (out / "analysis" / ".tmp-0123-cards.csv").write_text("half of it", encoding="utf-8")
    worked("analyze", out, "--no-feel")
    assert not list((out / "analysis").glob(".tmp*"))
    sound(out / "analysis")


def test_two_analyses_at_the_same_time(out):
    with open_folder(out / "analysis").lock():
        assert "another process is writing here; wait for it, or give another --out" in refused("analyze", out, "--no-feel")
    assert (out / "analysis" / "findings.json").exists()


def test_a_place_where_nothing_can_be_taken_away(tmp_path, monkeypatch):
    """Root may do everything, so that the system's answer is played."""
    (tmp_path / "findings.json").write_text("{}", encoding="utf-8")

    def denied(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "unlink", denied)
    monkeypatch.setattr(Path, "iterdir", denied)
    for use in (lambda folder: folder.remove("findings.json"), lambda folder: folder.names()):
        with pytest.raises(FolderError, match="this place cannot be written to; give another --out"):
            use(open_folder(tmp_path))


def test_a_disk_without_room(out):
    """A file may have no more bytes than the largest that is needed to open the run: the analysis stops in the middle, and it shows."""
    limit = max((out / name).stat().st_size for name in ("plan.toml", "cards.csv"))

    def begin() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "terrors", "analyze", str(out), "--no-feel"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, preexec_fn=begin, check=False)
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(r".*/analysis/[\w.]+: File too large; give another --out if that cannot be mended\.\n", done.stderr)
    assert "there is no analysis of this run yet" in refused("report", out)


def test_no_room_for_what_is_temporary(out, monkeypatch):
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    assert refused("analyze", out).endswith("No space left on device; make room there, or let TMPDIR name another place for what is temporary.")
    assert (out / "analysis" / "findings.json").exists()


def test_an_output_that_takes_nothing():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([sys.executable, "-m", "terrors", "--help"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "the output: No space left on device; mend that, and give the command again.\n")


def test_a_report_does_not_take_the_workers_of_a_run(whole):
    """Both use loky: a run with processes needs an executor of joblib's own kind, and finds whatever somebody left there."""
    from joblib.externals.loky import reusable_executor

    before = reusable_executor._executor
    with DrawingProcess() as drawing:
        assert drawing.draw(Material(str(whole), {}))() == {}
    assert reusable_executor._executor is before


def test_a_source_without_runs():
    with pytest.raises(AnalysisError, match="there is no run to analyse"):
        Source([])
