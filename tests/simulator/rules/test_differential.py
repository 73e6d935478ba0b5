"""The engine against the naive implementation: the same games, compared decision by decision (tests/trust/differential.py).

Hundreds of games on the reference set, on random card sets with random rules, and on sets that lead to the engine's limits. Over all of them everything
that the enums name must have occurred.
"""

import os
from dataclasses import replace

import pytest
from joblib import Parallel, delayed

from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.kernel import layout
from terrors.simulator.terms.enums import Action, Effect, Event, Question
from terrors.simulator.terms.ruleset import FIELDS, Rules
from tests.naive.cards import read
from tests.naive.hard_cases import by_hand
from tests.support.cardsets import random_cards
from tests.trust.differential import GAMES_PER_SET, Match, Report, card_set, entry_point, plan_of, play_both, play_many

pytestmark = pytest.mark.slow

GAMES = {"reference": 64, "random": 400, "extreme": 24}
SHARE = {"reference": GAMES_PER_SET, "random": 5 * GAMES_PER_SET, "extreme": 3}  # games that one worker plays in a row


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """All games, played once."""
    entry_point()  # compiled here, so that the workers find it
    parts = [(kind, range(start, min(start + SHARE[kind], n))) for kind, n in GAMES.items() for start in range(0, n, SHARE[kind])]
    results = Parallel(n_jobs=min(4, os.cpu_count() or 1))(delayed(play_many)(kind, numbers, 3) for kind, numbers in parts)
    reports = {kind: Report() for kind in GAMES}
    for (kind, _), report in zip(parts, results, strict=True):
        reports[kind].add(report)
    return reports


@pytest.mark.parametrize("kind", GAMES)
def test_both_play_the_same_games(kind: str, reports: dict[str, Report], capsys: pytest.CaptureFixture) -> None:
    report = reports[kind]
    with capsys.disabled():
        print(f"\n{kind}: {report}")
    if report.failures:
        pytest.fail("\n\n".join(report.failures[:3]), pytrace=False)
    assert report.games == GAMES[kind]
    if kind != "extreme":
        assert report.too_deep <= report.games / 200


def test_both_play_the_same_game_on_a_set_of_very_many_cards():
    """More than 128 kinds: what a hand offers is then listed in another way."""
    plan = plan_of("random", 8)
    more = "".join(f"Extra {n},market,Monster,,,{n % 5},1,,1 Coin\n" for n in range(140))
    columns = plan.cards.splitlines()[0].split(",")
    rows = [
        dict(zip(("name", "pile", "type", "faction", "overlord", "cost", "copies", "health", "abilities"), line.split(","), strict=True))
        for line in more.splitlines()
    ]
    text = plan.cards + "".join(",".join(row.get(column, "") for column in columns) + "\n" for row in rows)
    assert play_both(replace(plan, cards=text)).failures == []


def test_the_limits_are_reached(reports: dict[str, Report]) -> None:
    most = reports["extreme"].most
    assert most["power"] > 2**15
    assert most["options"] >= layout.OPTIONS - 256
    assert most["slots"] == layout.SLOTS
    assert most["owned"] == layout.OWNED
    assert most["agenda"] == layout.AGENDA
    assert reports["random"].limits > 100  # E1


def test_everything_occurs(reports: dict[str, Report]) -> None:
    total = Report()
    for report in reports.values():
        total.add(report)
    never = (Effect.NOTHING, Effect.ALTERNATIVE, Question.NONE)  # no ability; a part of CHOOSE; nothing is asked
    names = [f"{type(member).__name__}.{member.name}" for enum in (Effect, Event, Question, Action) for member in enum if member not in never]
    names += [f"rule {name}" for name in FIELDS]
    names += [f"cost {cost}" for cost in ("discard", "sacrifice", "pay Coin", "pay Power", "pay Regeneration", "pay Health")]
    names += [f"if {condition}" for condition in ("faction Undead", "opponent relic", "health")] + ["faction"]
    names += [f"{what} per {per}" for what in ("gain Power", "draw", "gain health", "opponent loses") for per in ("relic", "hand", "horde")]
    names += [f"reveal {what}" for what in ("undead", "beast", "mortal", "spirit", "monster", "relic")]
    names += [f"sacrifice {places}" for places in ("play", "hand", "discard", "hand discard", "play hand", "play discard", "play hand discard")]
    names += ["claim used", "Armor stops Power"]
    names += [f"{what} per Undead" for what in ("gain Power", "draw", "gain health")]
    assert any(total.seen[f"opponent loses per {faction}"] for faction in ("Undead", "Beast", "Mortal", "Spirit"))  # rarer: whichever faction
    assert [name for name in names if not total.seen[name]] == []


def test_random_sets_are_valid_and_in_normal_form() -> None:
    for seed in range(40):
        text = random_cards(seed)
        cards: CardSet = card_set(text)
        assert cards.to_csv() == text
        assert [row.name for row in read(text)] == [card.name for card in cards]
    assert random_cards(7) == random_cards(7)


def test_random_rules_are_possible() -> None:
    for number in range(0, 400, GAMES_PER_SET):
        Rules().but(plan_of("random", number).rules)


def test_a_difference_is_found_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a failure looks like: one point of Health too many, after ten decisions."""
    step = Match.step

    def wrong(match: Match) -> None:
        step(match)
        if len(match.history) == 10:
            match.naive.players[1].health += 1

    monkeypatch.setattr(Match, "step", wrong)
    (failure,) = play_both(plan_of("reference", 3)).failures
    assert "repeat it: python -m tests.trust.differential reference 3" in failure
    assert "after 10 decisions" in failure
    assert ".players[1].health: engine" in failure


def test_hard_cases_of_the_naive_implementation() -> None:
    by_hand()
