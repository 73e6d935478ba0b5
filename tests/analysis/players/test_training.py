"""Strategies as files of numbers, and how they are found."""

import json
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from terrors.analysis.players.training import Candidate, Settings, Trainer, TrainingError, judge, pairs_with, points, share, train
from terrors.cli.main import main
from terrors.simulator.kernel import work_layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import Match
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import StrategyError, find
from terrors.strategies.formats.numbers import ALWAYS, ANY, PHASED, PHASES, SIZE, fill, names, numbers_of, vector_of
from terrors.strategies.kit.taste import Taste, form
from tests.support.places import FROZEN
from tests.support.watching import all_pairs

SMALL = {"generations": 2, "rounds": 2, "population": 4, "rivals": 1, "pairs": 1}


def settings(box, field, **changes) -> Settings:
    return Settings(tuple(rival.sha256 for rival in field), box.cards.sha256, {}, **(SMALL | changes))


@pytest.fixture(scope="module")
def field():
    return [find("greedy"), find("random")]


def test_the_zero_vector_is_a_sensible_player(frozen_box):
    """Its opinions are those that the styles begin with, but for what is not the same in the middle of a game."""
    numbers = numbers_of(np.zeros(SIZE))
    work, style = record(work_layout.WORK), record(work_layout.WORK)
    fill({"any": numbers}, frozen_box.record, work)
    form(Taste(), frozen_box.record, style)
    mine, theirs = np.asarray(work.others)[ANY], np.asarray(style.of)
    for name in ("early", "late", "keep", "play", "moment", "look_again"):
        assert mine[name] == pytest.approx(theirs[name], abs=1e-4), name
    assert np.abs(mine["bend"]).max() < 1e-4


def test_numbers_and_vectors_are_two_ways_to_say_it():
    luck = np.random.default_rng(1)
    for _ in range(20):
        vector = luck.normal(0, 1, SIZE)
        again = numbers_of(vector_of(numbers_of(vector)))
        for part in again:
            assert again[part] == pytest.approx(numbers_of(vector)[part], rel=0.02, abs=1e-3)
    assert len(names()) == SIZE == len(PHASES) * len(PHASED) + len(ALWAYS)


def test_each_overlord_plays_by_its_own_numbers(frozen_box):
    """Numbers under which Fenris buys nothing: the others buy as before."""
    greedy_numbers, idle = numbers_of(np.zeros(SIZE)), numbers_of(np.zeros(SIZE))
    idle["always"]["average"], idle["always"]["acolyte"] = 50.0, 0.0
    for phase in PHASES:
        idle[phase]["relic"] = 0.0

    class Player:
        name, compiled = "numbers", find("aggro").compiled

        def work(self, box):
            area = record(work_layout.WORK)
            fill({"any": greedy_numbers, "Fenris": idle}, box.record, area)
            return area

    from terrors.strategies.formats.numbers import choose

    player = Player()
    player.compiled = choose.compiled
    match = Match(frozen_box, player, player, cells=1)
    match.log.keep_purchases = 1
    rows = all_pairs(frozen_box, 5, seed=2)
    assert match.play(rows) == len(rows)
    bought = Counter()
    for i in range(int(match.log.purchases_n)):
        row = rows[match.log.purchases["row"][i]]
        bought[frozen_box.names[row["first" if match.log.purchases["seat"][i] == 0 else "second"]]] += 1
    assert bought["Fenris"] < 0.2 * min(bought[name] for name in ("Azazael", "Lilith", "Methuselah"))


def test_pairs_of_a_training(frozen_box):
    rows = pairs_with(frozen_box, frozen_box.kind("Lilith"), 3, "explore 1")
    lilith = frozen_box.kind("Lilith")
    assert len(rows) == 3 * 3 * 2
    assert (rows["seed"][::2] == rows["seed"][1::2]).all()
    assert (np.where(rows["swapped"] == 0, rows["first"], rows["second"]) == lilith).all()
    assert set(rows["seed"]).isdisjoint(pairs_with(frozen_box, lilith, 3, "confirm 1")["seed"])
    rows["winner"] = np.tile([0, 1, 2], 6)
    assert points(rows["winner"], rows["swapped"])[:6].tolist() == [1.0, 1.0, 0.5, 0.0, 0.0, 0.5]


def test_a_trainer_improves_on_bad_numbers(frozen_box, field):
    """From numbers that shun every card, twelve generations against random lead back to winning."""
    trainer = Trainer(frozen_box, frozen_box.kind("Fenris"), field[:1], settings(frozen_box, field, generations=12, population=12, pairs=4), 1)
    trainer.search.mean[:] = 0.0
    trainer.search.mean[[i for i, (_, name) in enumerate(names()) if name == "average"]] = 4.0
    trainer.search.sigma = 1.0
    for _ in range(12):
        trainer.generation()
    assert np.mean(trainer.history[-3:]) > np.mean(trainer.history[:3]) + 0.1


def test_training_is_the_same_whatever_the_jobs_and_interruptions(frozen_box, field, tmp_path):
    made = train(frozen_box, field, tmp_path / "one.json", settings(frozen_box, field))
    assert train(frozen_box, field, tmp_path / "two.json", settings(frozen_box, field), jobs=2) == made
    steps = []

    def stopped() -> bool:
        return len(steps) in (3, 9)

    for _ in range(3):
        try:
            done = train(frozen_box, field, tmp_path / "three.json", settings(frozen_box, field), on_progress=steps.append, stopped=stopped)
        except KeyboardInterrupt:
            steps.append(None)
    assert done == made
    assert len([step for step in steps if step]) == 16
    assert json.loads((tmp_path / "three.json").read_text(encoding="utf-8")) == json.loads(json.dumps(made))


def test_another_training_in_the_same_place_is_refused(frozen_box, field, tmp_path):
    train(frozen_box, field, tmp_path / "one.json", settings(frozen_box, field, generations=1, rounds=1))
    with pytest.raises(
        TrainingError, match=r"this is the state of another training \(not the same: seed, generations\); give another --out, or remove that folder"
    ):
        train(frozen_box, field, tmp_path / "one.json", settings(frozen_box, field, generations=2, rounds=1, seed=9))


def test_regret_is_what_the_best_pilot_wins_more(frozen_box, field):
    judged = judge(frozen_box, field, [find("random")], 20, 1, frozen_box.kind("Fenris"))
    greedy, chance = judged.by_player["greedy"], judged.by_player["random"]
    assert greedy.share > chance.share + 0.2
    assert judged.regret("greedy") == 0
    assert judged.regret("random") == pytest.approx(100 * (greedy.share - chance.share))
    assert abs(chance.share - 0.5) < 0.2


def test_a_candidate_plays_what_it_was_given_last(frozen_box, field):
    candidate = Candidate(frozen_box)
    match = Match(frozen_box, candidate, field[1])
    rows = pairs_with(frozen_box, frozen_box.kind("Azazael"), 10, "explore 3")
    candidate.take(numbers_of(np.zeros(SIZE)))
    good = share(match, rows).mean()
    bad = numbers_of(np.zeros(SIZE))
    bad["always"] |= {"average": 50.0, "acolyte": 0.0}
    for phase in PHASES:
        bad[phase]["relic"] = 0.0
    candidate.take(bad)
    assert share(match, rows).mean() < good
    candidate.take(numbers_of(np.zeros(SIZE)))
    assert share(match, rows).mean() == good


def test_train_from_the_command_line(tmp_path):
    out = tmp_path / "mine.json"
    arguments = [
        "train",
        "--out",
        str(out),
        "--field",
        "greedy,random",
        "--generations",
        "1",
        "--rounds",
        "1",
        "--population",
        "4",
        "--pairs",
        "1",
        "--confirm",
        "4",
    ]
    result = CliRunner().invoke(main, [*arguments, "--cards", str(FROZEN), "--jobs", "1"])
    assert result.exit_code == 0, result.output
    assert f"{out} is written; it is a strategy: terrors strategies check {out}" in result.stdout
    assert "Fenris" in result.stdout
    assert find(str(out)).summary.startswith("Plays by numbers found by trying")
    data = json.loads(CliRunner().invoke(main, [*arguments, "--cards", str(FROZEN), "--json"]).stdout)
    assert {entry["overlord"] for entry in data["judged"]} == {"Fenris", "Lilith", "Azazael", "Methuselah"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "this is no JSON file"),
        ("[]", "a file of numbers has a plan in words and the numbers of its overlords"),
        ('{"plan": "x", "overlords": {"any": {}}}', "any, early, coin: there is no number; make the file with terrors train."),
        ('{"plan": "x", "overlords": {"any": {"early": {"coin": NaN}}}}', "any, early, coin: there is no number"),
    ],
)
def test_a_file_of_numbers_with_a_mistake(tmp_path, text, sentence):
    file = tmp_path / "mine.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StrategyError, match=sentence):
        find(str(file))


def test_numbers_work_with_other_sets(small_box_or_mirror):
    work = record(work_layout.WORK)
    fill({"any": numbers_of(np.zeros(SIZE))}, small_box_or_mirror.record, work)
    assert np.isfinite(np.asarray(work.others)[ANY]["early"]).all()


@pytest.fixture
def small_box_or_mirror(frozen_cards):
    return make_box(frozen_cards, Rules(mirror=True))
