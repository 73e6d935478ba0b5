"""Findings: sentences by template, lamps, what to look at first, margins."""

import polars as pl
import pytest

from terrors.analysis.contract.findings_schema import BOMB, DEAD, FAIR, FINE, LOPSIDED, NOTABLE, SLEEPER, STRONG, TOO_STRONG, TOO_WEAK, TRAP, UNDECIDED, WEAK
from terrors.analysis.contract.margins import FEEL, Margins, read_margins
from terrors.analysis.contract.sentences import digits_of, interval, number, signed
from terrors.analysis.feel.metrics import METRICS
from terrors.analysis.questions.card_tables import Habit, card_class
from terrors.analysis.questions.matchups import table
from terrors.analysis.verdicts.findings import (
    NAMED_CARDS,
    Finding,
    _half,
    card_findings,
    feel_findings,
    finding_id,
    first_findings,
    lamps,
    look_first,
    matchup_findings,
    overlord_findings,
)
from terrors.analysis.verdicts.judge import size_word
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.text import listed

NONE = dict.fromkeys(("luck", "spread"), pl.Float64)


def overlord_rows(*rows: tuple) -> pl.DataFrame:
    """group, overlord, rate, half width, verdict, lean, more games, luck, spread."""
    names = ("group", "overlord", "rate", "verdict", "lean", "more_games", "luck", "spread")
    return table(
        "overlords",
        [dict(zip(names, (g, o, r, *rest), strict=True)) | {"low": r - h, "high": r + h, "pairs": 500, "p": 0.01} for g, o, r, h, *rest in rows],
        more_games=pl.Int64, **NONE,
    )  # fmt: skip


def test_sentences_about_overlords():
    rows = overlord_rows(
        ("tuned", "Methuselah", 52.4, 0.7, UNDECIDED, "leans fair", 5, None, None), ("best hands", "Methuselah", 62.4, 0.7, TOO_STRONG, "", None, 0.7, None),
        ("best hands", "Fenris", 49.8, 0.7, FAIR, "", None, 0.7, 0.1), ("best hands", "Azazael", 46.2, 1.6, UNDECIDED, "leans weak", 2900, 1.6, 0.0),
        ("best hands", "Lilith", 46.2, 3.0, UNDECIDED, "leans weak", None, 0.4, 2.9),
    )  # fmt: skip
    found = overlord_findings(rows, Margins())
    assert [finding.sentence for finding in found] == [
        "Methuselah wins 62 (62–63) of 100 games: too strong; your margin is ±3.",
        "Fenris wins 50 (49–50) of 100 games: fair within your ±3.",
        "Azazael wins 46 (45–48) of 100 games: undecided at your ±3, leans weak; about 2,900 more games would settle it.",
        "Lilith wins 46 (43–49) of 100 games: undecided at your ±3, leans weak; more games would not settle it, "
        "since pilots of equal strength differ too much.",
    ]
    assert [finding.id for finding in found] == [finding_id("overlords", name) for name in ("Methuselah", "Fenris", "Azazael", "Lilith")]
    assert [finding.word for finding in found] == ["crushing", "no practical", "clear", "clear"]
    assert [finding.reason.partition(",")[0] for finding in found[:2]] == ["Its whole interval lies beyond ±3", "Its interval lies within ±3"]
    assert found[2].reason.startswith("Its interval, corrected for the number of questions, crosses ±3.")
    assert found[0].reason.endswith("±0.7 from luck; what hangs on which able pilot plays is not known, since only one is able.")
    assert "±0.4 from luck, ±2.9 from who plays" in found[3].reason


def test_where_pilots_never_met_a_sentence_says_so():
    rows = overlord_rows(("all", "Lilith", 44.0, 0.5, UNDECIDED, "leans weak", None, None, None))
    (lilith,) = overlord_findings(rows, Margins())
    assert "over all strategies: undecided at your ±3, leans weak; the pilots differ, and never met" in lilith.sentence
    (lilith,) = overlord_findings(overlord_rows(("all", "Lilith", 46.0, 2.0, UNDECIDED, "leans weak", 2_000, None, None)), Margins())
    assert lilith.sentence.endswith("over all strategies: undecided at your ±3, leans weak; about 2,000 more games would settle it.")


def test_match_ups_name_the_stronger_side_first():
    rows = []
    for group in ("greedy", "best hands"):
        for a, b, rate in (("Fenris", "Lilith", 38.0), ("Lilith", "Fenris", 62.0)):
            rows.append(
                {
                    "group": group,
                    "overlord": a,
                    "rival": b,
                    "seat": "both",
                    "rate": rate,
                    "low": rate - 1,
                    "high": rate + 1,
                    "pairs": 10,
                    "p": 0.0,
                    "verdict": LOPSIDED,
                }
            )
    (finding,) = matchup_findings(table("matchups", rows, more_games=pl.Int64, **NONE), Margins())
    assert finding.subject == {"overlord": "Lilith", "rival": "Fenris"}
    assert finding.sentence == "Lilith beats Fenris in 62 (61–63) of 100 games: lopsided, a crushing gap; your margin is ±8."


def test_going_first():
    rows = [
        {"group": g, "overlord": "", "rival": "", "rate": 51.0, "low": 50.2, "high": 51.8, "pairs": 10, "p": 0.2, "verdict": FAIR}
        for g in ("greedy", "best hands")
    ]
    (finding,) = first_findings(table("seats", rows, more_games=pl.Int64, **NONE), Margins())
    assert finding.sentence == "Going first wins 51 (50–52) of 100 games: fair within your ±2."


@pytest.mark.parametrize(
    ("state", "value", "q", "per", "buys", "expected"),
    [
        (TOO_STRONG, 6.0, 0.0, (5.0, 9.0), 70.0, STRONG),
        (TOO_WEAK, -5.0, 0.0, (-9.0, -4.0), 70.0, TRAP),
        (TOO_WEAK, -5.0, 0.0, (-9.0, -4.0), 30.0, WEAK),
        (FAIR, -1.4, 0.01, (-9.0, -4.0), 70.0, TRAP),  # within the margin, but those who may buy it do worse for certain, and they do buy it
        (FAIR, -0.6, 0.01, (-2.0, -0.1), 70.0, FINE),  # for certain, but nobody would notice
        (FAIR, -1.4, 0.2, (-4.0, 1.0), 70.0, FINE),
        (FAIR, 0.4, 0.01, (3.0, 12.0), 10.0, SLEEPER),
        (FAIR, 0.4, 0.3, (3.0, 12.0), 10.0, FINE),  # one of many cards that looks so by chance
        (FAIR, 0.1, 0.8, None, 2.0, DEAD),  # they can pay for it, leave it, and lose nothing
        (UNDECIDED, 2.0, 0.2, None, 2.0, UNDECIDED),  # perhaps they lose something
        (UNDECIDED, 2.0, 0.2, None, 50.0, UNDECIDED),
    ],
)
def test_classes_of_cards(state, value, q, per, buys, expected):
    habit = Habit(90.0, 60.0, buys, 5.0, 0.3, 50.0)
    assert card_class(state, value, q, per, habit) == expected
    assert card_class(state, value, q, per, habit, bomb=True) == BOMB


def test_a_card_that_is_hardly_ever_affordable_is_not_dead():
    assert card_class(FAIR, 0.1, 0.8, None, Habit(90.0, 3.0, 0.0, None, 0.0, None)) == FINE
    assert card_class(FAIR, 0.1, 0.8, None, None) == FINE


def card_row(card: str, value: float, klass: str, **more) -> dict:
    return {"group": "best hands", "card": card, "value": value, "low": value - 1, "high": value + 1, "q": 0.0, "class": klass, "copies": 1, "margin": 3.0,
            "bought_when_affordable": 61.0} | more  # fmt: skip


def test_sentences_about_cards():
    copy = {"per_purchase": 22.1, "per_purchase_low": 17.0, "per_purchase_high": 27.2}
    rows = [
        card_row("Doomsday", 13.6, STRONG, copies=2, margin=6.0), card_row("Blank", -2.6, TRAP), card_row("Hare", 0.6, FINE),
        card_row("Owl", 0.4, SLEEPER, bought_when_affordable=9.0, per_purchase=6.1, per_purchase_low=3.0, per_purchase_high=9.2),
        card_row("Fox", 2.6, UNDECIDED, more_games=41_000, lean="leans fair"), card_row("Comet", 1.1, BOMB, **copy),
        card_row("Stone", 0.1, DEAD, bought_when_affordable=1.0), card_row("Elk", 9.0, FINE, relative=0.4),
    ]  # fmt: skip
    types = dict.fromkeys(("per_purchase", "per_purchase_low", "per_purchase_high", "relative"), pl.Float64)
    found = card_findings(table("cards", rows, more_games=pl.Int64, lean=pl.String, **types), Margins())
    assert [finding.sentence for finding in found] == [
        "Being allowed to buy Doomsday is worth +14 (+13 to +15) points of win rate: too strong, beyond your ±6.",
        "Being allowed to buy Blank is worth −3 (−4 to −2) points of win rate: a trap: bought in 61 of 100 games in which it could be, "
        "and those who may buy it do worse.",
        "Being allowed to buy Hare is worth +1 (0 to +2) points of win rate: fair within your ±3.",
        "Being allowed to buy Owl is worth 0 (−1 to +1) points of win rate: a sleeper: only bought in 9 of 100 games in which it could be, "
        "but a copy is worth +6 (+3 to +9) points.",
        "Being allowed to buy Fox is worth +3 (+2 to +4) points of win rate: undecided at your ±3, leans fair; about 41,000 more games would settle it.",
        "A copy of Comet is worth +22 (+17 to +27) points of win rate to whoever buys it: a bomb, beyond your +10; access to it is worth +1 (0 to +2).",
        "Being allowed to buy Stone is worth 0 (−1 to +1) points of win rate: dead: bought in 1 of 100 games in which it could be, "
        "and nothing is lost by that.",
        "Being allowed to buy Elk is worth +9 (+8 to +10) points of win rate, 0 (−1 to +1) beside the mean card: fair within your ±3.",
    ]
    assert [finding.id for finding in found[:2]] == [finding_id("cards", "Doomsday"), finding_id("cards", "Blank")]
    assert [finding.state for finding in found] == [TOO_STRONG, TOO_WEAK, FAIR, TOO_STRONG, UNDECIDED, TOO_STRONG, TOO_WEAK, FAIR]
    assert [finding.word for finding in found] == ["crushing", "slight", *["no practical"] * 2, "slight", "crushing", *["no practical"] * 2]
    assert found[0].reason.startswith("From games in which nobody bought it; corrected for the number of cards. The margin goes with the copies: ±3 for")
    lots = table("cards", [card_row("Elk", 1.0, FINE, denials=2_400, withheld=12)], more_games=pl.Int64, lean=pl.String, **types)
    (elk,) = card_findings(lots, Margins())
    assert elk.reason.startswith("From 2,400 games in which it was denied by lot and 12 games played again with it withheld from its buyer;")


def test_a_table_without_a_lottery_has_no_findings_about_cards():
    rows = table("cards", [{"group": "best hands", "card": "Hare", "bought": 0.3}], value=pl.Float64)
    assert card_findings(rows, Margins()) == []


def finding(family: str, name: str, state: str, size: float, margin: float = 3.0) -> Finding:
    key = {"overlords": "overlord", "cards": "card", "matchups": "overlord"}.get(family, "metric")
    subject = {key: name, "rival": "X"} if family == "matchups" else {key: name}
    return Finding(finding_id(family, name), family, subject, state, size, size - 1, size + 1, f"About {name}.", margin=margin, klass=STRONG)


def test_the_first_three_are_the_most_pressing_of_different_families():
    found = [finding("overlords", "A", TOO_STRONG, 12), finding("overlords", "B", TOO_WEAK, -9), finding("cards", "C", TOO_STRONG, 6),
             finding("matchups", "D", LOPSIDED, 18, 8), finding("first", "", FAIR, 1)]  # fmt: skip
    assert look_first(found) == [found[0].id, found[3].id, found[2].id]
    assert look_first(found[:2]) == [found[0].id, found[1].id]
    assert look_first([found[4]]) == []


def test_one_of_the_first_three_is_a_card_if_any_is_off():
    found = [finding("overlords", "A", TOO_STRONG, 12), finding("matchups", "D", LOPSIDED, 30, 8), finding("first", "", "pays", 9, 2),
             finding("cards", "C", TOO_STRONG, 3.2)]  # fmt: skip
    assert look_first(found)[-1] == found[3].id


def test_what_leans_beyond_its_margin_comes_before_a_trap_within_it():
    trap, leaning, fair = finding("cards", "Trap", TOO_WEAK, -1), finding("cards", "Strong", UNDECIDED, 5), finding("cards", "Fine", UNDECIDED, 1)
    assert look_first([trap, leaning, fair]) == [leaning.id, trap.id]
    off = finding("cards", "Off", TOO_STRONG, 4)
    assert look_first([trap, leaning, fair, off]) == [off.id, leaning.id, trap.id]


def test_lamps_say_all_that_is_off_in_each_family_in_words():
    found = [finding("overlords", "A", TOO_STRONG, 12), finding("overlords", "B", FAIR, 1), finding("overlords", "C", TOO_WEAK, -16),
             finding("cards", "C", FAIR, 0), finding("cards", "D", FAIR, 0)]  # fmt: skip
    leaning = finding("overlords", "D", UNDECIDED, -4)
    leaning.lean = "leans weak"
    said = {lamp["family"]: lamp for lamp in lamps([*found, leaning])}
    assert said["overlords"]["state"] == "off balance"  # one word for both sides would be wrong about the other
    assert lamps(found[2:])[0]["state"] == TOO_WEAK
    assert lamps([found[0], finding("overlords", "E", UNDECIDED, 0.8, 0.5)])[0]["state"] == TOO_STRONG  # both lie above
    assert said["overlords"]["sentence"] == (
        "2 of 4 overlords are out of balance: C (too weak) and A (too strong); undecided, but beyond the margin as far as one can tell: D (leans weak)."
    )
    assert set(said["overlords"]["findings"]) == {found[0].id, found[2].id, leaning.id}
    assert (said["cards"]["state"], said["cards"]["sentence"]) == (FAIR, "All 2 cards are fair.")
    many = [finding(family, letter, TOO_STRONG, 20 - n) for family in ("overlords", "cards") for n, letter in enumerate("ABCDEFGHIJKL")]
    beyond = finding("cards", "D", UNDECIDED, 5)
    beyond.lean = "leans strong"
    (said_of_cards,) = (lamp["sentence"] for lamp in lamps([finding("cards", "C", TOO_STRONG, 9), beyond]) if lamp["family"] == "cards")
    assert said_of_cards == f"1 of 2 cards is out of balance: C ({STRONG}); undecided, but beyond the margin as far as one can tell: D (leans strong)."
    both = {lamp["family"]: lamp["sentence"] for lamp in lamps(many)}
    assert all(f"{letter} (too strong)" in both["overlords"] for letter in "ABCDEFGHIJKL")
    assert both["cards"].endswith(f" and {12 - NAMED_CARDS} more.")
    assert both["cards"].count("(") == NAMED_CARDS
    open_ones = {state: lamps([finding("feel", "comebacks", state, 3)])[-1]["sentence"] for state in (NOTABLE, UNDECIDED)}
    assert [text.partition(":")[0] for text in open_ones.values()] == ["1 of 1 metric is out of the ordinary", "1 of 1 metric is undecided"]
    assert said["feel"]["sentence"] == "How games feel was not measured; simulate without --no-turns."


def test_a_metric_of_feel_is_notable_outside_of_what_is_usual():
    rows = [{"group": "all", "metric": m, "value": v, "low": v - 1, "high": v + 1, "unit": "of 100 games", "meaning": "Won from behind.", "games": 10}
            for m, v in (("a", 3.0), ("b", 20.0), ("c", 9.5), ("d", 50.0), ("e", 9.0), ("f", 41.0), ("g", 11.0), ("h", 39.0))]  # fmt: skip
    found = feel_findings(table("feel", rows), Margins(feel=dict.fromkeys("abcefgh", (10, 40))))
    assert [one.state for one in found] == [
        "notable",
        FAIR,
        UNDECIDED,
        UNDECIDED,
        UNDECIDED,
        FAIR,
        FAIR,
    ]  # e to h reach to an end of what is usual, from without or within
    assert found[0].sentence == "Won from behind: 3 (2–4) of 100 games: out of the ordinary; usual is 10 to 40."


# Words


@pytest.mark.parametrize(
    ("points", "word"), [(0.9, "no practical"), (-1, "slight"), (2.99, "slight"), (3, "clear"), (-6, "strong"), (9.9, "strong"), (10, "crushing")]
)
def test_words_are_bound_to_sizes(points, word):
    assert size_word(points) == word


@pytest.mark.parametrize(("half", "digits"), [(6.0, 0), (0.6, 0), (0.4, 1), (0.06, 1), (0.04, 2), (0.0, 0), (30.0, 0)])
def test_digits_are_what_the_interval_supports(half, digits):
    assert digits_of(half) == digits


def test_half_widths_have_a_digit_after_the_point_below_ten():
    assert [_half(width) for width in (0.04, 9.94, 9.95, 12.3)] == ["0.0", "9.9", "10", "12"]


def test_numbers_in_words():
    assert number(-0.04, 0.3) == "0.0"
    assert number(-3.26, 0.3) == "−3.3"
    assert signed(3.26, 0.3) == "+3.3"
    assert interval(51.23, 50.0, 52.4) == "51 (50–52)"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


# Margins


def test_what_is_usual_is_said_of_metrics_that_there_are():
    assert set(FEEL) <= {metric.name for metric in METRICS}


def test_margins_from_a_file_and_the_command_line(tmp_path):
    path = tmp_path / "margins.toml"
    path.write_text('[margins]\noverlord = 4\n[panel]\ncasual = ["bigmoney"]\n[feel]\ncomebacks = [1, 2]\n', encoding="utf-8")
    margins = read_margins(path, FEEL).but(["card=2.5"])
    assert margins.as_data() == {"overlord": 4, "matchup": 8.0, "first": 2.0, "card": 2.5, "bomb": 10.0}
    assert margins.casual == ("bigmoney",)
    assert margins.feel["comebacks"] == (1, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[margins]\nmatchups = 3\n", "there is no entry 'matchups'; did you mean matchup?"),
        ("[margins]\ncard = 50\n", "margin card: 50 is not possible; give points of win rate between 0 and 50"),
        ("[margins]\ncard = 70\n", "margin card: 70 is not possible; give points of win rate between 0 and 50, for instance card=3."),
        ("[margin]\ncard = 3\n", "there is no section 'margin'; the sections are margins, panel and feel."),
        ("margins = 3\n", "margins is not possible; write it as a table, [margins]."),
        ("[panel]\ncasual = 3\n", "casual is not possible; give a list of strategies."),
        ("[feel]\ncomebacks = [9, 2]\n", "give the least and the most that is as usual, for instance [5, 40]."),
        ("[margins\n", "this is not a TOML file"),
    ],
)
def test_margins_that_cannot_be(tmp_path, text, said):
    path = tmp_path / "margins.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AnalysisError, match=r"margins\.toml") as error:
        read_margins(path, FEEL)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"), [("overlords=3", "did you mean overlord?"), ("card=x", "'x' is no number; write it as card=3"), ("card", "is no number")]
)
def test_margins_on_the_command_line_that_cannot_be(text, said):
    with pytest.raises(AnalysisError) as error:
        Margins().but([text])
    assert said in str(error.value)
