"""One overlord, closely: planted truths, and the parts of the whole."""

from dataclasses import replace

import pytest

from terrors.analysis.trials.one_overlord import overlord_page
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.terms.errors import PlanError
from tests.support.places import FROZEN


def job(*changes: str, **more) -> Job:
    return Job.of(Plan(strategies=("greedy",), pairing="mirror", cards=str(FROZEN), seed=3, set=changes, **more), "")


def test_one_who_is_made_weak_is_found_weak_and_soon():
    page = overlord_page(job("Lilith.health=20"), "lilith", 3, most=3_000)
    assert (page.overlord, page.state) == ("Lilith", "too weak")
    assert page.whole.high < 40
    assert {(part.by, part.level) for part in page.parts} == {
        ("rival", "Methuselah"), ("rival", "Fenris"), ("rival", "Azazael"), ("seat", "first"), ("seat", "second"),
    }  # fmt: skip
    assert page.games < 2 * 3 * 1_000  # decided at the first look


def test_two_that_are_the_same_are_even_and_the_parts_make_up_the_whole():
    """Against a twin of another faction, with wide margins: fair, and the mean over seats is the whole."""
    twin = {"Fenris.health": 45, "Fenris.abilities": "once per turn: 1 Coin", "Lilith.health": 45, "Lilith.abilities": "once per turn: 1 Coin"}
    page = overlord_page(job(*(f"{cell}={value}" for cell, value in twin.items()), overlords=("Lilith", "Fenris")), "Lilith", 15, most=1_000)
    assert page.state == "fair"
    seats = [part.rate for part in page.parts if part.by == "seat"]
    (rival,) = [part.rate for part in page.parts if part.by == "rival"]
    assert sum(seats) / 2 == pytest.approx(page.whole.rate)
    assert rival == pytest.approx(page.whole.rate)


def test_a_card_that_is_no_overlord_is_refused():
    with pytest.raises(PlanError, match="Ghoul: it is no overlord; the overlords are Methuselah"):
        overlord_page(job(), "Ghoul", 3)
    alone = job(overlords=("Lilith", "Fenris"))
    with pytest.raises(PlanError, match="there is nobody whom it may meet"):
        overlord_page(replace(alone, plan=alone.plan.but(overlords=("Lilith",))), "Lilith", 3)
