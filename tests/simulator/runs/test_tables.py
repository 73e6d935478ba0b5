"""What a run writes down, against games that are watched and against what can be worked out from other tables."""

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from terrors.simulator.kernel.decision_columns import DECISION_LISTS
from terrors.simulator.kernel.layout import COUNT_FIELDS
from terrors.simulator.play.box import make_box
from terrors.simulator.play.game import Game
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.parquet_tables import TABLES
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.story.transcript import Step, play_and_tell, strategy_chooser
from terrors.simulator.terms.enums import BoughtFrom
from terrors.strategies import find
from tests.support.places import FROZEN

pytestmark = pytest.mark.slow

GAMES, CELLS = 96, 24
EVERY_SORT = {"games": GAMES, "cards": str(FROZEN), "strategies": ("greedy", "random"), "decisions": "all", "deny_lottery": 0.2, "seed": 5}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    """Every match-up of two strategies, all games told, cards denied by lottery."""
    return simulate(Plan(**EVERY_SORT), tmp_path_factory.mktemp("run") / "run", jobs=1)


def rows(frame: pl.LazyFrame) -> list[dict]:
    return frame.collect().to_dicts()


def test_every_table_has_the_columns_that_are_written_down(run):
    for table, columns in TABLES.items():
        frame = getattr(run, table)
        assert frame.collect_schema().names() == list(columns)
        assert all(words and not words.endswith(".") for words in columns.values())
    assert list(TABLES["cards"])[7:] == list(COUNT_FIELDS)


def test_names_are_names_and_numbers_are_small(run):
    schema = run.turns.collect_schema()
    assert all(kind in (pl.Int16, pl.UInt16, pl.UInt32) or isinstance(kind, pl.Enum) for kind in schema.values())
    assert isinstance(run.games.collect_schema()["first_overlord"], pl.Enum)
    assert isinstance(run.games.collect().to_pandas()["winner"].iloc[0], str)


@pytest.mark.parametrize("number", [0, 3, 17, 40])
def test_a_watched_game_is_the_one_that_was_written_down(run, number):
    """Turns, purchases and events of a game, against the story that a person would read."""
    game = run.games.filter(pl.col("game") == number).collect().row(0, named=True)
    box = make_box(Job.of(run_plan(), "").cards, None, run_plan().interventions())
    players = [find(game["first_strategy"]), find(game["second_strategy"])]
    table = Game(box, game["first_overlord"], game["second_overlord"], game["seed"])
    story = play_and_tell(table, [strategy_chooser(p.compiled, p.work(box)) for p in players])
    assert (game["winner"], game["turns"], game["actions"]) == (story.winner, len(story.turns), int(table.record.total_actions))
    assert (game["first_health"], game["second_health"]) == (int(table.record.player[0].health), int(table.record.player[1].health))
    turns = rows(run.turns.filter(pl.col("game") == number))
    assert [turn["turn"] for turn in turns] == [turn.number for turn in story.turns]
    tables = [turn.table for turn in story.turns[1:]] + [story.table]
    for turn, told, after in zip(turns, story.turns, tables, strict=True):
        me, rival = after.sides[told.seat], after.sides[1 - told.seat]
        assert turn["seat"] == ("first", "second")[told.seat]
        assert turn["overlord"] == me.overlord
        assert (turn["health"], turn["rival_health"]) == (me.health, rival.health)
        assert (turn["deck"], turn["discard"], turn["hand"]) == (me.deck, len(me.discard), len(me.hand))
        words = [step.text for step in told.steps if step.question == "ACTION"]
        assert turn["cards_played"] == sum(text.startswith("play ") for text in words)
    got = [(step.turn, card) for turn in story.turns for step in turn.steps for card in cards_got(step)]
    assert [(p["turn"], p["card"]) for p in rows(run.purchases.filter(pl.col("game") == number))] == got
    events = rows(run.decisions.filter(pl.col("game") == number))
    steps = story.setup + [step for turn in story.turns for step in turn.steps]
    assert [e["step"] for e in events] == list(range(len(events)))
    forced = [e for e in events if e["forced"] and e["question"] != "action"]
    assert all(e["offered"] == 1 for e in forced)
    events = [e for e in events if e not in forced]
    assert [(e["turn"], e["seat"], e["offered"]) for e in events[:-1]] == [(s.turn, ("first", "second")[s.seat], s.offered) for s in steps]
    for event, step in zip(events, steps, strict=False):
        assert event["card"] is None or event["card"] in step.text or event["action"] in ("trigger", "overlord", "ability")
    for turn in story.turns:
        first = next(e for e in events if e["turn"] == turn.number)
        for seat, name in enumerate(("first", "second")):
            side = turn.table.sides[seat]
            assert Counter(first[f"{name}_hand"]) == Counter(side.hand)
            assert len(first[f"{name}_play"]) == len(side.others) + len(side.relics) + sum(map(len, side.hordes))
        assert first["street"] == [card for card, _ in turn.table.street]
    assert (events[-1]["action"], events[-1]["first_health"], events[-1]["second_health"]) == (None, game["first_health"], game["second_health"])


def cards_got(step: Step) -> list[str]:
    """The cards that came to the player from the Street or the Acolytes, as a person sees it."""
    moves = [change for change in step.changes if change.what == "move" and change.source in ("street", "acolytes") and change.target != "removed"]
    return [card for move in moves for card in move.cards]


def run_plan() -> Plan:
    return Plan(**EVERY_SORT)


def test_hordes_in_the_events_are_chains_from_left_to_right(run):
    chains = set()
    for event in rows(run.decisions.select("first_play", "first_hordes")):
        assert sorted(set(event["first_hordes"]) - {0}) == list(range(1, max(event["first_hordes"], default=0) + 1))
        for horde in set(event["first_hordes"]) - {0}:
            chains.add(tuple(card for card, number in zip(event["first_play"], event["first_hordes"], strict=True) if number == horde))
    assert any(len(chain) >= 3 for chain in chains)
    box = make_box(Job.of(run_plan(), "").cards)
    for chain in chains:
        kinds = [box.record.card[box.kind(card)] for card in chain]
        assert all(a.link_right == b.link_left != 0 for a, b in pairwise(kinds)), chain


def test_turns_add_up(run):
    turns, games = run.turns.collect(), run.games.collect()
    per_game = turns.group_by("game", maintain_order=True).agg(pl.len().alias("n"), pl.col("turn").max().alias("last"))
    assert per_game["n"].to_list() == games["turns"].to_list() == per_game["last"].to_list()
    assert (turns["coin"] >= turns["coin_spent"]).all()
    bought = run.purchases.filter(pl.col("source") != "free").group_by("game", "turn").len().collect()
    both = turns.join(bought, on=["game", "turn"], how="left").with_columns(pl.col("len").fill_null(0))
    assert (both["bought"] == both["len"]).all()
    healths = turns.sort("game", "turn").to_dicts()
    for one, two in pairwise(healths):
        if one["game"] == two["game"]:  # the other player's turn: nobody but they can heal, and attacks are the most of what hurts
            assert two["health"] <= one["rival_health"] + two["healed"]
            assert two["rival_health"] <= one["health"] - two["damage"]


def test_denied_cards_are_never_got(run):
    games = run.games.select("game", "denied_first", "denied_second").collect()
    denied = {(g["game"], seat): set(g[f"denied_{seat}"]) for g in games.to_dicts() for seat in ("first", "second")}
    assert 0.7 < np.mean([len(d) for d in denied.values()]) / (len(market_names()) * 0.1) < 1.3
    got = rows(run.purchases)
    assert len(got) > 500
    assert all(p["card"] not in denied[p["game"], p["seat"]] for p in got)
    assert all(not (denied[g, "first"] & denied[g, "second"]) for g, _ in denied)  # a lottery denies to one seat


def market_names() -> list[str]:
    return [card.name for card in Job.of(run_plan(), "").cards.market]


def test_both_legs_of_a_pair_have_the_same_lottery(run):
    games = run.games.collect()
    one, two = games.filter(pl.col("leg") == 0), games.filter(pl.col("leg") == 1)
    assert one["denied_first"].to_list() == two["denied_first"].to_list()
    assert one["seed"].to_list() == two["seed"].to_list()


def test_influences_are_those_that_were_chosen(run):
    events = run.decisions.filter(pl.col("turn") == 0, pl.col("question") == "influence").collect()
    chosen = defaultdict(set)
    for event in events.to_dicts():
        chosen[event["game"], event["seat"]].add(event["card"])
    for game in rows(run.games):
        for seat in ("first", "second"):
            assert set(game[f"{seat}_influences"].split(" + ")) == chosen[game["game"], seat]


def test_the_cards_table_counts_what_the_other_tables_show(run):
    """Seen, affordable, bought, by turns and games, worked out from the events one by one."""
    costs = {card.name: card.cost for card in Job.of(run_plan(), "").cards}
    games = {g["game"]: g for g in rows(run.games)}
    denied = {(n, seat): set(g[f"denied_{seat}"]) for n, g in games.items() for seat in ("first", "second")}
    seen, affordable = defaultdict(set), defaultdict(set)
    for event in rows(run.decisions.filter(pl.col("question") == "action", pl.col("action").is_not_null())):
        seat, at = event["seat"], (event["game"], event["turn"])
        for card in event["street"]:
            seen[event["game"], seat, card].add(at)
            if costs[card] is not None and costs[card] <= event["coin"] and card not in denied[event["game"], seat]:
                affordable[event["game"], seat, card].add(at)
    expected: dict[tuple, Counter] = defaultdict(Counter)

    def cell(game: int, seat: str, card: str) -> Counter:
        g = games[game]
        return expected[g["first_overlord"], g["second_overlord"], g["first_strategy"], g["second_strategy"], seat, card]

    for found, name in ((seen, "seen"), (affordable, "affordable")):
        for (game, seat, card), turns in found.items():
            cell(game, seat, card)[f"games_{name}"] += 1
            cell(game, seat, card)[f"turns_{name}"] += len(turns)
    first: dict[tuple, int] = {}
    for purchase in rows(run.purchases):
        key = purchase["game"], purchase["seat"], purchase["card"]
        cell(*key)["bought"] += 1
        if key not in first:
            first[key] = purchase["turn"]
            cell(*key)["games_bought"] += 1
            cell(*key)["first_bought_turns"] += purchase["turn"]
            winner = games[key[0]]["winner"]
            cell(*key)["points_when_bought"] += 2 if winner == key[1] else 1 if winner == "draw" else 0
    table = run.cards.collect()
    played = Counter(tuple(game[name] for name in list(TABLES["cards"])[:4]) for game in games.values())
    assert len(table) == CELLS * 2 * 2 * len([c for c in Job.of(run_plan(), "").cards if c.pile.name in ("MARKET", "ACOLYTE")])
    for row in table.to_dicts():
        key = tuple(row[name] for name in list(TABLES["cards"])[:6])
        assert {name: row[name] for name in COUNT_FIELDS} == {name: expected[key][name] for name in COUNT_FIELDS}, key
        assert row["games"] == played[key[:4]]


def test_purchases_say_what_was_paid_and_where_it_went(run):
    costs = {card.name: card for card in Job.of(run_plan(), "").cards}
    got = rows(run.purchases)
    assert {p["source"] for p in got} >= {"street", "acolyte"}
    assert {p["to"] for p in got} == {"discard", "deck", "relics"}
    for purchase in got:
        card = costs[purchase["card"]]
        assert purchase["to"] == "relics" or card.type.name != "RELIC"
        assert purchase["cost"] == (card.cost if purchase["source"] != "acolyte" else 2)
        if purchase["source"] == "free":
            assert purchase["paid"] == 0
        else:
            assert 0 <= purchase["paid"] <= purchase["cost"]  # some abilities let one pay with something else
    assert sum(p["paid"] == p["cost"] for p in got) > 0.9 * len(got)
    assert [source.name.lower() for source in BoughtFrom] == ["street", "acolyte", "free"]


def test_games_that_run_into_limits_are_rows_like_others(tmp_path):
    short = simulate(Plan(games=60, cards=str(FROZEN), rules={"max_turns": 9, "max_actions": 9}), tmp_path / "short", jobs=1)
    games = short.games.collect()
    assert len(games) == 60
    tallies = short.info["tallies"]
    assert tallies["draws"] == tallies["turn_limit"] == (games["winner"] == "draw").sum() == (games["end"] == "turn limit").sum() > 0
    assert games.filter(pl.col("winner") == "draw")["winner_overlord"].is_null().all()
    assert tallies["action_limit"] == (games["limits"] > 0).sum() > 0
    assert tallies["turns"] == len(short.turns.collect())
    points = short.cards.select(pl.col("points_when_bought").sum()).collect().item()
    assert points > 0  # a draw is worth one


def test_without_turns_there_is_no_turns_table(tmp_path):
    run = simulate(Plan(games=24, cards=str(FROZEN), turns=False), tmp_path / "run", jobs=1)
    with pytest.raises(ValueError, match="this run has no turns table; simulate without --no-turns"):
        run.turns  # noqa: B018
    with pytest.raises(ValueError, match="this run has no decisions table; simulate with --decisions 200"):
        run.decisions  # noqa: B018
    assert len(run.games.collect()) == 24


def test_a_log_that_is_full_in_the_middle_of_a_chunk_loses_nothing(tmp_path):
    """More turns than the log holds at once (131,072), with and without a second group of strategies."""
    plan = Plan(games=4_000, cards=str(FROZEN), strategies=("random",), decisions=240)
    one = simulate(plan, tmp_path / "one", jobs=1, chunk=4_000)
    many = simulate(plan, tmp_path / "many", jobs=1, chunk=200)
    assert one.info["tallies"]["turns"] > 131_072
    assert one.info["tallies"]["decisions_cut"] == 0
    for table in ("games", "turns", "purchases", "decisions"):
        assert getattr(one, table).collect().equals(getattr(many, table).collect())
    assert one.cards.collect().equals(many.cards.collect())


@pytest.mark.parametrize("strategies", [("greedy", "random"), ("tuned", "planner")])
def test_a_game_that_is_told_is_the_game_that_is_not(tmp_path, strategies):
    """Choices with a single answer are asked in a told game and taken in silence in another: nothing else may differ."""
    plan = Plan(games=24 if "planner" in strategies else 480, cards=str(FROZEN), strategies=strategies)
    silent = simulate(plan, tmp_path / "silent", jobs=1)
    told = simulate(plan.but(decisions="all"), tmp_path / "told", jobs=1)
    for table in ("turns", "purchases"):  # the cards table counts what is seen when somebody is asked: between plays named in advance too, if they are told
        assert getattr(silent, table).collect().equals(getattr(told, table).collect())
    names = [name for name in TABLES["games"] if name != "decisions"]  # plays that a strategy named in advance
    assert silent.games.select(names).collect().equals(told.games.select(names).collect())
    forced = told.decisions.filter("forced").collect()
    assert len(forced.filter(pl.col("question") != "action")) > 10
    assert (forced["offered"] == 1).all()


def test_lists_of_the_events_are_all_there():
    assert all(name in TABLES["decisions"] for name in DECISION_LISTS)
