"""The referee finds nothing in games as they were played, and every planted violation, under its rule."""

import copy
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.runs.checks.referee import Facts, Referee
from terrors.simulator.runs.checks.verify import job_of, refereed
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.runs.storage import sha256
from terrors.simulator.terms.enums import Mark
from tests.support.cardsets import random_cards, random_rules, small_set
from tests.support.commands import refused, worked
from tests.support.places import FROZEN

pytestmark = pytest.mark.slow

Row = dict
GAMES = 24
RELICS = {card.name for card in load_cards(FROZEN) if card.type.name == "RELIC"}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    plan = Plan(games=GAMES, cards=str(FROZEN), strategies=("tuned", "random"), pairing="mirror", decisions="all", seed=1)
    return simulate(plan, tmp_path_factory.mktemp("referee") / "run", jobs=1)


@pytest.fixture(scope="module")
def facts(run) -> Facts:
    job = job_of(run)
    return Facts(job.cards, job.plan.ruleset())


@pytest.fixture(scope="module")
def told(run) -> list[tuple[dict, list[Row]]]:
    rows = run.decisions.collect().partition_by("game", maintain_order=True)
    return [(game, part.to_dicts()) for game, part in zip(run.games.collect().to_dicts(), rows, strict=True)]


@pytest.mark.parametrize("cards", ["frozen", "reference"])
def test_games_as_they_were_played_keep_the_rules(run, tmp_path, cards):
    reference = Plan(games=GAMES, strategies=("greedy", "tuned"), pairing="mirror", decisions="all", seed=4)
    found = refereed(run if cards == "frozen" else simulate(reference, tmp_path / "run", jobs=1))
    assert not found.violations, found.violations[0]
    assert found.games == GAMES
    assert found.compared.total() > 200_000
    assert len(found.compared) >= 40  # rules


@pytest.mark.parametrize("seed", [0, 1])
def test_strange_card_sets_and_rules_are_followed_too(tmp_path, seed):
    cards = tmp_path / "cards.csv"
    cards.write_text(random_cards(seed))
    rules = {**random_rules(random.Random(seed)), "max_turns": 40}
    found = refereed(simulate(Plan(games=12, cards=str(cards), strategies=("greedy", "random"), pairing="mirror", decisions="all", rules=rules),
                              tmp_path / "run", jobs=1))  # fmt: skip
    assert not found.violations, found.violations[0]
    assert found.compared.total() > 5_000


def first_row(told: list, wanted: Callable[[Row], object]) -> tuple[dict, list[Row], int]:
    """The first row of any game of which that is true."""
    return next((game, rows, at) for game, rows in told for at, row in enumerate(rows) if wanted(row))


def side(row: Row) -> str:
    return row["active"]


def rival(row: Row) -> str:
    return "second" if row["active"] == "first" else "first"


def has_horde(row: Row) -> bool:
    return row["turn"] > 0 and any(row[f"{side(row)}_hordes"])


def card_twice(row: Row) -> None:
    row["street"][0], row["street_copies"][0] = row["first_deck_cards"][0], row["first_deck_cards_copies"][0]


def missed_refill(row: Row) -> None:
    row["street"].pop()
    row["street_copies"].pop()


def lost_card(row: Row) -> None:
    for name in ("first_discard_cards", "first_discard_cards_copies"):
        row[name] = row[name][1:]
    row["first_discard"] -= 1


def other_way_round(row: Row) -> None:
    row.update(card=row["other"], copy=row["other_copy"], other=row["card"], other_copy=row["copy"])


def no_link(row: Row) -> None:
    for name in ("play", "play_copies", "marks"):
        cards = row[f"{side(row)}_{name}"]
        cards[0], cards[1] = cards[1], cards[0]


def four_relics(row: Row) -> None:
    """The relic that is in play, four times."""
    seat = side(row)
    at = next(i for i, card in enumerate(row[f"{seat}_play"]) if card in RELICS)
    for name, value in (("play", row[f"{seat}_play"][at]), ("hordes", 0), ("marks", 0)):
        row[f"{seat}_{name}"] = [*row[f"{seat}_{name}"], *[value] * 3]
    row[f"{seat}_play_copies"] = [*row[f"{seat}_play_copies"], 97, 98, 99]


def much_in_play(row: Row) -> bool:
    return row["action"] == "pass" and len(row[f"{side(row)}_play"]) > 2


def horde_of_the_rival(row: Row) -> None:
    row[f"{rival(row)}_hordes"] = [1] * len(row[f"{rival(row)}_play"])


def two_cards(row: Row) -> None:
    row[f"{side(row)}_hand"], row[f"{side(row)}_hand_copies"] = ["Cultist"] * 2, [98, 99]


def deck_upside_down(row: Row) -> None:
    for name in ("deck_cards", "deck_cards_copies"):
        row[f"{side(row)}_{name}"] = row[f"{side(row)}_{name}"][::-1]


def add(name: str, by: int) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        name_ = name.replace("MINE", side(row)).replace("THEIRS", rival(row))
        row[name_] = row[name_] + by

    return change


def put(name: str, value: object) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        row[name.replace("MINE", side(row)).replace("THEIRS", rival(row))] = value

    return change


def marks(name: str, change: Callable[[int], int]) -> Callable[[Row], None]:
    def all_marks(row: Row) -> None:
        key = name.replace("MINE", side(row))
        row[key] = [change(one) for one in row[key]]

    return all_marks


def is_(name: str, value: object) -> Callable[[Row], bool]:
    return lambda row: row[name] == value


def in_game(row: Row) -> bool:
    return row["turn"] > 2 and row["question"] == "action" and row["action"] is not None


def haunted(row: Row) -> bool:
    return in_game(row) and any(one & Mark.HAUNT_SIDE for one in row[f"{side(row)}_marks"])


# What is planted: the rule that it breaks, which row is changed (or the one after it), and how.
PLANTED: dict[str, tuple[str, Callable[[Row], object], int, Callable[[Row], None]]] = {
    "a card lies in two places": ("S2", in_game, 0, card_twice),
    "a card vanishes": ("S2", lambda row: in_game(row) and row["first_discard"] > 0, 1, lost_card),
    "a pile holds fewer than is said": ("S2", in_game, 0, add("first_deck", 1)),
    "a missed refill": ("B2", is_("action", "buy"), 1, missed_refill),
    "the Market grows": ("B2", in_game, 1, add("market", 1)),
    "a price off by one": ("B1", is_("action", "buy"), 0, add("pay_coin", -1)),
    "an Acolyte too dear": ("B1", is_("action", "buy acolyte"), 0, add("pay_coin", 1)),
    "an Acolyte that stays in its pile": ("B4", is_("action", "buy acolyte"), 1, add("acolytes", 1)),
    "no Acolyte left": ("S5", is_("action", "buy acolyte"), 0, put("acolytes", 0)),
    "to the deck without CLAIM": ("B3", lambda row: row["to"] == "relics", 0, put("to", "deck")),
    "a relic in the discard pile": ("B5", lambda row: row["to"] == "relics", 0, put("to", "discard")),
    "a wrong Health after an attack": ("A2", is_("action", "attack"), 1, add("THEIRS_health", 1)),
    "healed by too much": ("G5", is_("action", "heal"), 1, add("MINE_health", -1)),
    "Health from nowhere": ("G4", is_("action", "buy"), 1, add("THEIRS_health", 1)),
    "more Health than at the start": ("G4", in_game, 0, put("first_health", 99)),
    "the dead play on": ("T4", in_game, 0, put("second_health", 0)),
    "a CURSE that costs too much": ("K1", lambda row: row["question"] == "curse" and row["action"] == "health", 0, add("amount", 1)),
    "a CURSE answered by the wrong player": ("K1", is_("question", "curse"), 0, lambda row: row.update(seat=row["active"])),
    "an answer to a CURSE too many": ("K1", is_("question", "curse"), 0, add("offered", 1)),
    "Coin from nowhere": ("T3", is_("action", "attack"), 1, add("coin", 1)),
    "more paid than there is": ("T3", is_("action", "attack"), 0, put("power", 0)),
    "a pool that is not emptied": ("T3", lambda row: row["action"] == "pass" and row["turn"] < 9, 1, add("power", 1)),
    "a fourth relic": ("P8", lambda row: in_game(row) and RELICS & set(row[f"{side(row)}_play"]), 0, four_relics),
    "neighbours that do not link": ("H1", is_("action", "horde"), 0, other_way_round),
    "a horde in another order": ("H7", has_horde, 0, no_link),
    "a horde that falls apart": ("H7", is_("question", "horde ability"), 0, marks("MINE_hordes", lambda one: 0)),
    "a horde in the other's turn": ("H5", lambda row: in_game(row) and len(row[f"{rival(row)}_play"]) > 1, 0, horde_of_the_rival),
    "joined while in a horde": ("H2", is_("action", "horde"), 0, marks("MINE_hordes", lambda one: 1)),
    "a Horde ability that is none": ("H4", is_("action", "ability"), 0, put("amount", 2)),
    "a relic used twice": ("R1", is_("action", "relic"), 0, marks("MINE_marks", lambda one: one | Mark.RELIC_USED)),
    "the HAUNT side activated": ("N1", is_("action", "haunt"), 0, marks("MINE_marks", lambda one: one & ~Mark.DISMISS_SIDE)),
    "two tokens on a monster": ("N2", haunted, 0, marks("MINE_marks", lambda one: one | Mark.DISMISS_SIDE if one & Mark.HAUNT_SIDE else one)),
    "a token too many in the reserve": ("S2", in_game, 0, add("haunt_tokens", 1)),
    "a MUSTER token too many": ("S2", in_game, 0, add("muster_tokens", 1)),
    "a MUSTER token of the other's": ("K6", in_game, 1, add("THEIRS_muster", 1)),
    "a card too many drawn": ("X3", lambda row: row["action"] == "pass" and row["turn"] < 9, 0, add("MINE_muster", 1)),
    "passed with two cards": ("X1", is_("action", "pass"), 0, two_cards),
    "everything stays after Cleanup": ("X2", much_in_play, 0, marks("MINE_marks", lambda one: one | Mark.HAUNT_SIDE)),
    "a deck out of order": ("X4", lambda row: row["action"] == "attack" and row[f"{side(row)}_deck"] > 2, 1, deck_upside_down),
    "the same player twice": ("S8", is_("action", "pass"), 1, lambda row: row.update(active=rival(row))),
    "a choice among none": ("T2", in_game, 0, put("offered", 0)),
    "forced, and not marked": ("T2", is_("forced", True), 0, put("forced", False)),
    "an action too many": ("E1", in_game, 0, put("actions", 400)),
    "a turn too many": ("E1", in_game, 0, put("turn", 201)),
    "a COMMAND for a dear card": ("K4", is_("question", "command"), 0, lambda row: row.update(place="hand")),
    "a card destroyed that is elsewhere": ("K2", is_("question", "destroy"), 0, lambda row: row.update(place="street" if row["place"] != "street" else "play")),
    "a look too deep": ("G2", lambda row: row["question"] == "look" and row["card"], 0, put("looked", 0)),
    "Health paid that is not there": ("G6", lambda row: row["pay_health"] > 0, 0, put("pay_health", 99)),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_violation_is_found_and_named(told, facts, name):
    rule, wanted, later, change = PLANTED[name]
    game, rows, at = first_row(told, wanted)
    rows = copy.deepcopy(rows)
    change(rows[at + later])
    referee = Referee(facts)
    referee.follow(game, rows)
    assert rule in {violation.rule for violation in referee.violations}, referee.violations[:3]
    said = next(str(violation) for violation in referee.violations if violation.rule == rule)
    assert said.startswith(f"Game {game['game']}, turn ")
    assert f"rule {rule}: " in said


def test_a_game_that_ends_wrongly_is_found(told, facts):
    game, rows = told[0]
    for changed in ({"winner": "second" if game["winner"] == "first" else "first"}, {"first_health": game["first_health"] + 1}):
        referee = Referee(facts)
        referee.follow(game | changed, rows)
        assert [violation.rule for violation in referee.violations] == ["T4"]
    referee = Referee(facts)
    referee.follow(game, rows[:-1])
    assert "T4" in {violation.rule for violation in referee.violations}
    unfinished = Referee(facts)
    unfinished.follow(game, rows[:-1], cut=True)
    assert (unfinished.cut, unfinished.violations) == (1, [])


def test_the_command_counts_and_refuses(run, tmp_path):
    assert "comparisons, 0 violations." in worked("verify", run.folder.address, "--games", "2", "--referee")
    none = simulate(Plan(games=12, cards=str(FROZEN)), tmp_path / "none", jobs=1)
    assert "this run has no decisions table; simulate with --decisions 200" in refused("verify", none.folder.address, "--referee")


def test_a_row_that_was_altered_is_found_by_the_command(tmp_path):
    altered = simulate(Plan(games=12, cards=str(FROZEN), decisions="all"), tmp_path / "run", jobs=1)
    part = next(Path(altered.folder.address).glob("decisions/*.parquet"))
    frame = pl.read_parquet(part)
    frame.with_columns(pl.when(pl.col("step") == 9).then(pl.col("coin") + 5).otherwise(pl.col("coin")).cast(pl.Int16).alias("coin")).write_parquet(part)
    data = part.read_bytes()
    altered.info["parts"][0]["files"]["decisions"] |= {"bytes": len(data), "sha256": sha256(data)}  # by somebody who knows how
    assert {violation.rule for violation in refereed(altered).violations} == {"T3"}


def test_a_relic_that_takes_the_place_of_another_hears_of_its_own_purchase(tmp_path):
    """Found by a campaign: world 19190001 43 1. The referee took what its trigger did for nothing that anybody had done."""
    relics = "Horn,market,Relic,,,0,60,,,each card bought: 3 Regeneration and opponent loses 1 Health,,,,,,\n"
    relics += "Bell,market,Relic,,,0,60,,1 Coin,,,,,,,\n"
    (tmp_path / "cards.csv").write_text(small_set(market=relics), encoding="utf-8")
    rules = {"relic_limit": 1, "max_turns": 6}
    run = simulate(Plan(games=12, cards=str(tmp_path / "cards.csv"), strategies=("random",), decisions="all", rules=rules), tmp_path / "run", jobs=1)
    asked = run.decisions.filter(pl.col("question") == "relic limit").collect()
    assert asked.height > 3
    assert refereed(run).violations == []
