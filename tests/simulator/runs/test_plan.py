"""Plans and schedule: what is played, and that nothing else decides it."""

import re
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrors.simulator.play.box import PlanError, make_box
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import ENTRIES, Plan
from terrors.simulator.runs.schedule import Schedule
from terrors.simulator.terms.ruleset import RulesError


def schedule(cards, **entries) -> Schedule:
    plan = Plan(**entries)
    names = list(plan.strategies)
    if plan.pairing.startswith("vs:") and plan.pairing[3:] not in names:
        names.append(plan.pairing[3:])
    return Schedule(plan, make_box(cards, plan.ruleset(), plan.interventions()), names)


def told(schedule: Schedule, start: int = 0, stop: int | None = None) -> list[tuple]:
    """The games in words."""
    names, found = schedule.box.names, []
    for game, row in enumerate(schedule.rows(start, stop or schedule.games), start):
        cell = schedule.cell_of(game)
        strategies = [schedule.strategies[s] for s in (cell.a_strategy, cell.b_strategy)]
        found.append((names[row["first"]], names[row["second"]], *(strategies[::-1] if row["swapped"] else strategies), int(row["seed"])))
    return found


def test_pairs_go_round_all_match_ups(frozen_cards):
    games = told(schedule(frozen_cards, games=24))
    assert len(games) == 24
    assert len({frozenset(game[:2]) for game in games[:12]}) == 6
    for one, two in zip(games[::2], games[1::2], strict=True):
        assert (one[0], one[1], one[4]) == (two[1], two[0], two[4])
    assert len({game[4] for game in games}) == 12
    assert [game[:2] for game in games[:12]] == [game[:2] for game in games[12:]]


def test_games_are_spread_evenly_whatever_their_number(frozen_cards):
    for n in (1, 2, 13, 100, 101):
        counts = Counter(frozenset(game[:2]) for game in told(schedule(frozen_cards, games=n)))
        assert sum(counts.values()) == n + n % 2
        assert max(counts.values()) - min(counts.values(), default=0) <= 2


def test_strategies_meet_in_every_way_and_with_the_same_luck(frozen_cards):
    games = told(schedule(frozen_cards, games=48, strategies=("greedy", "random"), overlords=("Fenris", "Azazael", "Lilith")))
    first_round = games[:24]
    overlords, strategies = ("Fenris", "Azazael", "Lilith"), ("greedy", "random")
    assert {game[:4] for game in first_round} == {(a, b, s, t) for a, b, s, t in product(overlords, overlords, strategies, strategies) if a != b}
    assert len({game[4] for game in first_round}) == 3  # one luck for each match-up


@pytest.mark.parametrize(
    ("pairing", "expected"),
    [
        ("mirror", {("greedy", "greedy"), ("random", "random")}),
        ("vs:random", {("greedy", "random"), ("random", "greedy"), ("random", "random")}),
        ("vs:mine.py", {("greedy", "mine.py"), ("mine.py", "greedy"), ("random", "mine.py"), ("mine.py", "random")}),
    ],
)
def test_pairing(frozen_cards, pairing, expected):
    strategies = ("greedy", "random")
    found = schedule(frozen_cards, games=200, strategies=strategies, pairing=pairing)
    assert {game[2:4] for game in told(found)} == expected


@pytest.mark.parametrize("rival", ["greedy", "random"])
def test_the_rival_is_the_one_that_was_named_wherever_it_stands(rival):
    job = Job.of(Plan(games=200, strategies=("greedy", "random"), pairing=f"vs:{rival}"), "")
    other = "random" if rival == "greedy" else "greedy"
    assert {game[2:4] for game in told(job.schedule)} == {(rival, other), (other, rival), (rival, rival)}
    assert job.identity()["plan"]["pairing"] == f"vs:{rival}"


def test_a_mirror_match_of_equals_is_not_the_same_game_twice(frozen_cards):
    games = told(schedule(frozen_cards, games=400, mirrors=True, strategies=("greedy", "random")))
    for one, two in zip(games[::2], games[1::2], strict=True):
        assert (one[4] == two[4]) == (one[:4] != two[:4])
    mirrors = {game[:4] for game in games if game[0] == game[1] == "Fenris"}
    assert mirrors == {("Fenris", "Fenris", s, t) for s in ("greedy", "random") for t in ("greedy", "random")}


def test_more_games_other_overlords_or_strategies_leave_the_games_as_they_were(frozen_cards):
    few, more = told(schedule(frozen_cards, games=60)), told(schedule(frozen_cards, games=600))
    assert more[:60] == few
    two = told(schedule(frozen_cards, games=20, overlords=("Lilith", "Fenris")))
    assert two == [game for game in more if set(game[:2]) == {"Lilith", "Fenris"}][:20]
    assert {game[4] for game in told(schedule(frozen_cards, games=60, seed=2))}.isdisjoint(game[4] for game in few)


def test_any_stretch_of_games_is_the_same_as_in_the_whole(frozen_cards):
    whole = schedule(frozen_cards, games=1000, influences="all", strategies=("greedy", "random"))
    rows = whole.rows(0, 1000)
    for start, stop in ((0, 2), (2, 400), (400, 998), (998, 1000)):
        assert rows[start:stop].tobytes() == whole.rows(start, stop).tobytes()


def test_influences_beginner(frozen_cards):
    found = schedule(frozen_cards, games=24, influences="beginner")
    for row in found.rows(0, 24):
        for seat in ("first", "second"):
            own = found.box.record.own[row[seat]]
            taken = {found.box.names[own.kind[i]] for i in range(own.n) if row[f"{seat}_influences"] >> i & 1}
            assert taken == {c.name for c in frozen_cards.influences_of(found.box.names[row[seat]]) if c.beginner}


def test_influences_all_gives_each_choice_equally_often_and_the_same_in_both_legs(frozen_cards):
    found = schedule(frozen_cards, games=24_000, influences="all", overlords=("Fenris", "Lilith"))
    rows = found.rows(0, 24_000)
    assert (rows["first_influences"][::2] == rows["second_influences"][1::2]).all()
    bits, counts = np.unique(np.stack([rows["first_influences"], rows["second_influences"]])[:, ::2], return_counts=True)
    assert [int(b).bit_count() for b in bits] == [2] * 6
    assert (np.abs(counts - 4000) < 5 * np.sqrt(4000 * 5 / 6)).all()
    together = Counter(zip(rows["first_influences"][::2].tolist(), rows["second_influences"][::2].tolist(), strict=True))
    assert len(together) == 36  # the two players' choices do not depend on each other
    assert max(together.values()) < 1.35 * 12_000 / 36


def test_beginner_influences_must_be_marked(frozen_cards):
    less = frozen_cards.replace(["Blood Moon.beginner="])
    with pytest.raises(PlanError, match=r"influences beginner: Fenris has 1 Influence cards marked as beginner, the rules give 2; mark 2 or use choose\."):
        schedule(less, influences="beginner")


def test_overlords_of_one_faction_do_not_meet_unless_mirrors_are_allowed(frozen_cards):
    twins = frozen_cards.replace(["Lilith.faction=Beast"])
    assert ("Fenris", "Lilith") not in {game[:2] for game in told(schedule(twins, games=200))}
    assert ("Fenris", "Lilith") in {game[:2] for game in told(schedule(twins, games=200, mirrors=True))}
    with pytest.raises(PlanError, match="overlords: Fenris alone has nobody to play against; name another one, or let it play mirrors"):
        schedule(frozen_cards, overlords=("Fenris",))
    assert {game[:2] for game in told(schedule(frozen_cards, overlords=("Fenris",), mirrors=True, games=4))} == {("Fenris", "Fenris")}
    with pytest.raises(PlanError, match="no two of Fenris, Lilith may meet"):
        schedule(twins, overlords=("Fenris", "Lilith"))


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"games": 0}, "games: 0 is not possible; give a whole number from 1 to 1,000,000,000,000."),
        ({"games": 10**13}, "games: 10000000000000 is not possible; give a whole number from 1 to 1,000,000,000,000."),
        ({"games": 1.5}, "games: 1.5 is not possible; give a whole number from 1 to 1,000,000,000,000."),
        ({"games": True}, "games: True is not possible; give a whole number from 1 to 1,000,000,000,000."),
        ({"seed": -1}, "seed: -1 is not possible; give a whole number from 0 to 18,446,744,073,709,551,615."),
        ({"influences": "some"}, "influences: 'some' is not possible; give choose, beginner or all."),
        ({"mirrors": "yes"}, "mirrors: 'yes' is not possible; give true or false."),
        ({"pairing": "each"}, "pairing: 'each' is not possible; give panel, all, mirror or vs:NAME of a strategy."),
        ({"strategies": ()}, "strategies: there is none; give at least one name, for instance greedy."),
        ({"strategies": ("greedy", "greedy")}, "strategies: greedy is there twice; give each once."),
        ({"overlords": ("Fenris", "fenris")}, "overlords: Fenris is there twice; give each once."),
        ({"overlords": (3,)}, "overlords: (3,) is not possible; give a list of texts."),
        ({"decisions": "some"}, "decisions: 'some' is not possible; give a whole number from 0 to 1,000,000,000,000."),
        ({"until": "soon"}, "until: 'soon' is not possible; give decided, or points of win rate from ±0.01 to ±49, for instance ±1."),
        ({"until": "±0"}, "until: '±0' is not possible; give decided, or points of win rate from ±0.01 to ±49, for instance ±1."),
        ({"margin": 0}, "margin: 0 is not possible; give points of win rate between 0 and 50, for instance 8."),
        ({"deny_lottery": "much"}, "deny_lottery: 'much' is not possible; give a number."),
        ({"cards": 5}, "cards: 5 is not possible; give the path of a card file."),
        ({"overlords": {"Fenris": 1}}, "overlords: {'Fenris': 1} is not possible; give a list of texts."),
        ({"rules": 3}, "rules: 3 is not possible; give names and values, for instance first_hand = 5."),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_sentence(entries, sentence):
    with pytest.raises(PlanError) as error:
        Plan(**entries)
    assert str(error.value) == sentence


def test_unknown_rules_and_cards_are_named(frozen_cards):
    with pytest.raises(RulesError, match="rule first_hnd: there is no such rule; did you mean first_hand"):
        Plan(rules={"first_hnd": 3})
    with pytest.raises(LookupError, match="no card is named 'Fenriz'; did you mean Fenris"):
        schedule(frozen_cards, overlords=("Fenriz", "Lilith"))
    with pytest.raises(PlanError, match="overlords: Cultist is no overlord; the overlords are "):
        schedule(frozen_cards, overlords=("Cultist", "Lilith"))


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("2 Coin", "'2 Coin' is no choice; write two abilities"),
        ("2 Coin|", "'2 Coin|' is no choice"),
        ("1 Coin|RAGE", "RAGE within RAGE has no end; name what it gives"),
        ("1 Coin|if Beast in play: 1 Power and RAGE", "RAGE within RAGE has no end"),
    ],
)
def test_what_rage_cannot_be(frozen_cards, choice, said):
    with pytest.raises(RulesError, match=re.escape(said)):
        schedule(frozen_cards, rules={"rage_choice": choice})


def test_seats_of_denied_and_granted_cards():
    made = Plan(deny=("Ghoul:first", "A:B"), grant=("Ghoul: second", "Hag:both"), remove=("X",), set=("Ghoul.cost=3",), deny_lottery=0.1).interventions()
    assert made.deny == (("Ghoul", 0), ("A:B", 0), ("A:B", 1))
    assert made.grant == (("Ghoul", 1), ("Hag", 0), ("Hag", 1))
    assert (made.remove, made.override, made.lottery) == (("X",), ("Ghoul.cost=3",), 0.1)


texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12).filter(str.strip)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "games": st.integers(1, 10**12),
            "seed": st.integers(0, 2**64 - 1),
            "overlords": st.lists(texts, unique_by=lambda t: t.strip().casefold(), max_size=3).map(tuple),
            "strategies": st.lists(st.sampled_from(["greedy", "random", "aggro"]), unique=True, min_size=1).map(tuple),
            "mirrors": st.booleans(),
            "rules": st.dictionaries(st.sampled_from(["first_hand", "hand_size"]), st.integers(1, 30)),
            "set": st.lists(texts, max_size=3).map(tuple),
            "deny": st.lists(texts, max_size=3).map(tuple),
            "deny_lottery": st.floats(0, 0.99),
            "decisions": st.one_of(st.just("all"), st.integers(0, 1000)),
            "until": st.sampled_from(["", "decided", "±1", "±2.5"]),
        },
    )
)
def test_a_plan_reads_back_from_its_file(tmp_path_factory, entries):
    plan = Plan(**entries)
    file = tmp_path_factory.mktemp("plan") / "plan.toml"
    file.write_text(plan.to_toml(), encoding="utf-8")
    assert Plan.read(file) == plan
    assert Plan.from_data(plan.as_data()) == plan


def test_a_plan_file_finds_what_lies_beside_it(tmp_path):
    text = 'cards = "mine.csv"\nstrategies = ["greedy", "mine.py", "mine.json"]\npairing = "vs:rivals/strong.py"\n'
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    plan = Plan.read(tmp_path / "plan.toml")
    assert plan.cards == str(tmp_path / "mine.csv")
    assert plan.strategies == ("greedy", str(tmp_path / "mine.py"), str(tmp_path / "mine.json"))
    assert plan.pairing == f"vs:{tmp_path / 'rivals/strong.py'}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("games = 5\nseeds = 3", "there is no entry 'seeds'; did you mean seed?"),
        ("zebra = 3", "there is no entry 'zebra'; the entries are games, seed,"),
        ("games = ", "this is not a TOML file:"),
        ("games = 0", "games: 0 is not possible"),
        ("cards = 5", "cards: 5 is not possible"),
        ("[rules]\nfirst_hand = nan", "rule first_hand: nan is not possible"),
    ],
)
def test_a_plan_file_with_a_mistake(tmp_path, text, sentence):
    file = tmp_path / "plan.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PlanError) as error:
        Plan.read(file)
    assert str(error.value).startswith(f"{file}: {sentence}")
    with pytest.raises(PlanError, match="the plan cannot be read"):
        Plan.read(tmp_path / "other.toml")


def test_every_entry_can_be_given_on_the_command_line():
    from terrors.cli.commands.runs import simulate

    options = {option.name for option in simulate.params}
    assert {"set_" if name == "set" else name for name in ENTRIES} <= options
