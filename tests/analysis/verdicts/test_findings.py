"""Findings: the panel rule, sentences by template, lamps, what to look at first, margins."""

import polars as pl
import pytest

from terrors.analysis.contract.findings_schema import DEPENDS, FAIR, FINE, LOPSIDED, SLEEPER, STRONG, TRAP, UNDECIDED, WEAK
from terrors.analysis.contract.margins import FEEL, Margins, read_margins
from terrors.analysis.contract.sentences import digits_of, interval, number, signed
from terrors.analysis.feel.metrics import METRICS
from terrors.analysis.questions.card_tables import card_class
from terrors.analysis.questions.matchups import table
from terrors.analysis.verdicts.findings import (
    Claim,
    Finding,
    card_findings,
    feel_findings,
    finding_id,
    first_findings,
    lamps,
    look_first,
    matchup_findings,
    overlord_findings,
    panel,
)
from terrors.analysis.verdicts.judge import size_word
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.text import listed

STRONG_CLAIM, WEAK_CLAIM, FAIR_CLAIM, OPEN = Claim(LOPSIDED, 1), Claim(LOPSIDED, -1), Claim(FAIR, 0), Claim(UNDECIDED, 0)


@pytest.mark.parametrize(
    ("claims", "overall", "state", "side"),
    [
        ([FAIR_CLAIM, FAIR_CLAIM], FAIR_CLAIM, FAIR, 0),
        ([FAIR_CLAIM, STRONG_CLAIM], FAIR_CLAIM, LOPSIDED, 1),  # too strong if it is in any serious group
        ([WEAK_CLAIM, WEAK_CLAIM], WEAK_CLAIM, LOPSIDED, -1),  # too weak only if it is in all
        ([WEAK_CLAIM, FAIR_CLAIM], WEAK_CLAIM, DEPENDS, 0),
        ([WEAK_CLAIM, STRONG_CLAIM], FAIR_CLAIM, DEPENDS, 0),  # what turns round is never lopsided
        ([WEAK_CLAIM, OPEN], OPEN, UNDECIDED, 0),
        ([WEAK_CLAIM, OPEN], WEAK_CLAIM, UNDECIDED, 0),  # a mean that is too weak does not say that all are
        ([OPEN, OPEN], WEAK_CLAIM, UNDECIDED, 0),
        ([OPEN, OPEN], STRONG_CLAIM, LOPSIDED, 1),  # but one that is too strong says that somebody is
        ([OPEN, FAIR_CLAIM], STRONG_CLAIM, UNDECIDED, 0),
        ([OPEN, OPEN], FAIR_CLAIM, UNDECIDED, 0),  # fair on average, by one too strong and one too weak?
        ([OPEN, FAIR_CLAIM], FAIR_CLAIM, UNDECIDED, 0),
    ],
)
def test_the_panel_rule(claims, overall, state, side):
    named = {f"pilot {i}": claim for i, claim in enumerate(claims)}
    assert panel(named, list(named), overall) == (state, side)


def test_a_pilot_that_is_not_serious_has_no_say_in_it():
    assert panel({"random": STRONG_CLAIM, "tuned": FAIR_CLAIM}, ["tuned"], FAIR_CLAIM) == (FAIR, 0)
    assert panel({"random": STRONG_CLAIM, "tuned": OPEN}, ["tuned"], STRONG_CLAIM) == (UNDECIDED, 0)  # nor through the mean of all
    assert panel({"random": WEAK_CLAIM, "tuned": FAIR_CLAIM}, ["tuned"], OPEN) == (FAIR, 0)


def overlord_rows(*rows: tuple) -> pl.DataFrame:
    """group, overlord, rate, half width, verdict, more games."""
    return table(
        "overlords",
        [
            {"group": g, "overlord": o, "rate": r, "low": r - h, "high": r + h, "pairs": 500, "p": 0.01, "verdict": v, "more_games": m}
            for g, o, r, h, v, m in rows
        ],
        more_games=pl.Int64,
    )  # fmt: skip


def test_sentences_about_overlords():
    rows = overlord_rows(
        ("tuned", "Methuselah", 62.4, 0.7, LOPSIDED, None), ("all", "Methuselah", 62.4, 0.7, LOPSIDED, None),
        ("tuned", "Fenris", 49.8, 0.7, FAIR, None), ("all", "Fenris", 49.8, 0.7, FAIR, None),
        ("tuned", "Azazael", 47.2, 1.6, UNDECIDED, 2900), ("all", "Azazael", 47.2, 1.6, UNDECIDED, 2900),
    )  # fmt: skip
    assert [finding.sentence for finding in overlord_findings(rows, ["tuned"], Margins())] == [
        "Methuselah wins 62 (62–63) of 100 games: too strong, a crushing gap; your margin is ±3.",
        "Fenris wins 50 (49–50) of 100 games: fair within your ±3.",
        "Azazael wins 47 (46–49) of 100 games: undecided at your ±3; about 2,900 more games would settle it.",
    ]


def test_with_several_pilots_a_sentence_says_who_played():
    rows = overlord_rows(
        ("control", "Fenris", 51.0, 0.8, FAIR, None), ("tuned", "Fenris", 57.1, 0.8, LOPSIDED, None), ("all", "Fenris", 54.0, 0.6, LOPSIDED, None),
        ("control", "Lilith", 40.0, 0.8, LOPSIDED, None), ("tuned", "Lilith", 50.2, 0.8, FAIR, None), ("all", "Lilith", 45.1, 0.6, LOPSIDED, None),
    )  # fmt: skip
    fenris, lilith = overlord_findings(rows, ["control", "tuned"], Margins())
    assert fenris.sentence == "Fenris wins 57 (56–58) of 100 games when tuned plays: too strong, a strong gap; your margin is ±3."
    assert (lilith.state, lilith.by_group) == (DEPENDS, {"control": LOPSIDED, "tuned": FAIR})
    assert lilith.sentence == "Lilith wins 45 (44–46) of 100 games over all strategies: but it depends on who plays: lopsided with control; fair with tuned."


def test_match_ups_name_the_stronger_side_first():
    rows = []
    for group in ("greedy", "all"):
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
    (finding,) = matchup_findings(table("matchups", rows, more_games=pl.Int64), ["greedy"], Margins())
    assert finding.subject == {"overlord": "Lilith", "rival": "Fenris"}
    assert finding.sentence == "Lilith beats Fenris in 62 (61–63) of 100 games: lopsided, a crushing gap; your margin is ±8."


def test_going_first():
    rows = [
        {"group": g, "overlord": "", "rival": "", "rate": 51.0, "low": 50.2, "high": 51.8, "pairs": 10, "p": 0.2, "verdict": FAIR} for g in ("greedy", "all")
    ]
    (finding,) = first_findings(table("seats", rows, more_games=pl.Int64), ["greedy"], Margins())
    assert finding.sentence == "Going first wins 51 (50–52) of 100 games: fair within your ±2."


@pytest.mark.parametrize(
    ("state", "value", "q", "per", "buys", "expected"),
    [
        (LOPSIDED, 6.0, 0.0, (5.0, 9.0), 70.0, STRONG),
        (LOPSIDED, -5.0, 0.0, (-9.0, -4.0), 70.0, TRAP),
        (LOPSIDED, -5.0, 0.0, (-9.0, -4.0), 30.0, WEAK),
        (FAIR, -1.4, 0.01, (-9.0, -4.0), 70.0, TRAP),  # within the margin, but those who may buy it do worse for certain, and they do buy it
        (FAIR, -0.6, 0.01, (-2.0, -0.1), 70.0, FINE),  # for certain, but nobody would notice
        (FAIR, -1.4, 0.2, (-4.0, 1.0), 70.0, FINE),
        (FAIR, 0.4, 0.01, (3.0, 12.0), 10.0, SLEEPER),
        (FAIR, 0.4, 0.3, (3.0, 12.0), 10.0, FINE),  # one of many cards that looks so by chance
        (FAIR, 0.4, 0.3, (0.2, 12.0), 10.0, FINE),
        (FAIR, 0.4, 0.3, None, None, FINE),
        (UNDECIDED, 2.0, 0.2, None, 50.0, UNDECIDED),
    ],
)
def test_classes_of_cards(state, value, q, per, buys, expected):
    assert card_class(state, value, q, per, buys) == expected


def card_row(group: str, card: str, value: float, klass: str, **more) -> dict:
    return {"group": group, "card": card, "value": value, "low": value - 1, "high": value + 1, "q": 0.0, "class": klass, "bought_when_affordable": 61.0} | more


def test_sentences_about_cards():
    rows = []
    for group in ("greedy", "all"):
        rows += [card_row(group, "Doomsday", 13.6, STRONG), card_row(group, "Blank", -2.6, TRAP), card_row(group, "Hare", 0.6, FINE),
                 card_row(group, "Owl", 0.4, SLEEPER, bought_when_affordable=9.0, per_purchase=6.1, per_purchase_low=3.0, per_purchase_high=9.2),
                 card_row(group, "Fox", 2.6, UNDECIDED, more_games=41_000)]  # fmt: skip
    types = dict.fromkeys(("per_purchase", "per_purchase_low", "per_purchase_high"), pl.Float64)
    found = card_findings(table("cards", rows, more_games=pl.Int64, **types), ["greedy"], Margins())
    assert [finding.sentence for finding in found] == [
        "Being allowed to buy Doomsday is worth +14 (+13 to +15) points of win rate: strong, beyond your ±3.",
        "Being allowed to buy Blank is worth −3 (−4 to −2) points of win rate: a trap: bought in 61 of 100 games in which it could be, "
        "and those who may buy it do worse.",
        "Being allowed to buy Hare is worth +1 (0 to +2) points of win rate: fair within your ±3.",
        "Being allowed to buy Owl is worth 0 (−1 to +1) points of win rate: a sleeper: only bought in 9 of 100 games in which it could be, "
        "but a copy is worth +6 (+3 to +9) points.",
        "Being allowed to buy Fox is worth +3 (+2 to +4) points of win rate: undecided at your ±3; about 41,000 more games would settle it.",
    ]


def test_a_table_without_a_lottery_has_no_findings_about_cards():
    rows = table("cards", [{"group": "all", "card": "Hare", "bought": 0.3}], value=pl.Float64)
    assert card_findings(rows, ["greedy"], Margins()) == []


def finding(family: str, name: str, state: str, size: float, margin: float = 3.0) -> Finding:
    key = {"overlords": "overlord", "cards": "card", "matchups": "overlord"}.get(family, "metric")
    subject = {key: name, "rival": "X"} if family == "matchups" else {key: name}
    return Finding(finding_id(family, name), family, subject, state, size, size - 1, size + 1, f"About {name}.", margin=margin, klass=STRONG)


def test_the_first_three_are_the_most_pressing_of_different_families():
    found = [finding("overlords", "A", LOPSIDED, 12), finding("overlords", "B", LOPSIDED, -9), finding("cards", "C", LOPSIDED, 6),
             finding("matchups", "D", LOPSIDED, 18, 8), finding("first", "", FAIR, 1)]  # fmt: skip
    assert look_first(found) == [found[0].id, found[3].id, found[2].id]
    assert look_first(found[:2]) == [found[0].id, found[1].id]
    assert look_first([found[4]]) == []


def test_lamps_say_the_worst_of_each_family_in_words():
    found = [finding("overlords", "A", LOPSIDED, 12), finding("overlords", "B", FAIR, 1), finding("cards", "C", FAIR, 0), finding("cards", "D", FAIR, 0)]
    said = {lamp["family"]: (lamp["state"], lamp["sentence"]) for lamp in lamps(found)}
    assert said["overlords"] == (LOPSIDED, "1 of 2 overlords is out of balance: A (too strong).")
    assert said["cards"] == (FAIR, "All 2 cards are fair.")
    assert said["feel"] == ("not measured", "How games feel was not measured; simulate without --no-turns.")


def test_a_metric_of_feel_is_notable_outside_of_what_is_usual():
    rows = [{"group": "all", "metric": m, "value": v, "low": v - 1, "high": v + 1, "unit": "of 100 games", "meaning": "Won from behind.", "games": 10}
            for m, v in (("a", 3.0), ("b", 20.0), ("c", 9.5), ("d", 50.0))]  # fmt: skip
    found = feel_findings(table("feel", rows), Margins(feel={"a": (10, 40), "b": (10, 40), "c": (10, 40)}))
    assert [one.state for one in found] == ["notable", FAIR, UNDECIDED]
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
    assert margins.as_data() == {"overlord": 4, "matchup": 8.0, "first": 2.0, "card": 2.5}
    assert margins.casual == ("bigmoney",)
    assert margins.feel["comebacks"] == (1, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[margins]\nmatchups = 3\n", "there is no entry 'matchups'; did you mean matchup?"),
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
