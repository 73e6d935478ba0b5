"""Games for the replay viewer of the page: played again with the run's own plan, cards and strategies, and packed so that many fit into one file.

A game is a list of steps: the line of the story, and what is different on the table after it. Names of cards and lines of stories are numbers into lists
that all games share. The viewer (templates/viewer.js) lays the differences on top of each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reports.looks import MARKS, faction_of

if TYPE_CHECKING:
    from simulator.job import Job
    from simulator.run import Run
    from simulator.transcript import Side, Table

Packed = dict[str, Any]
Chances = Callable[[int], Sequence[float | None] | None]  # a game's chances of the first player after each turn, of 100


@dataclass
class Words:
    """Texts that are named by their number."""

    texts: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def __call__(self, text: str) -> int:
        """The number of a text; a new one is put at the end."""
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return self.numbers[text]


class Packer:
    """Plays games of a run again and packs them."""

    def __init__(self, job: Job, chances: Chances | None = None) -> None:
        """`chances`: what a model thinks of a game, if there is one."""
        self.job, self.chances = job, chances
        self.names, self.lines = Words(), Words()

    def pack(self, number: int) -> Packed:
        """One game."""
        from simulator.telling import Teller
        from simulator.transcript import Driver, look_at, player_names, strategy_chooser, take_step

        game = self.job.fixtures.table(number)
        players = [self.job.players[s] for s in self.job.fixtures.strategies_of(number)]
        driver = Driver([strategy_chooser(player.compiled, player.work(game.box)) for player in players])
        names = player_names(game)
        teller, seed, before = Teller(names), int(game.record.seed), {}
        steps: list[list[Any]] = []
        begins: list[list[int]] = []  # of each turn: whose it is, and its first step
        health: list[list[int]] = []
        while not game.over:
            turn, seat = game.turn, int(game.record.active)
            if turn and len(begins) < turn:
                begins.append([seat, len(steps)])
                health.append([int(player.health) for player in game.record.player])
            step = take_step(game, *driver.answer(game))
            after = {} if not step.turn else self._state(look_at(game)) | {"pool": list(step.pool)}
            steps.append([turn, self.lines(teller.line(step).strip()), {key: value for key, value in after.items() if before.get(key) != value}])
            before = after or before
        end = look_at(game)
        packed = {
            "game": number,
            "seed": str(seed),
            "names": list(names),
            "factions": [faction_of(game.box.cards.by_name(side.overlord).faction.name) for side in end.sides],
            "strategies": [player.name for player in players],
            "start": [side.start_health for side in end.sides],
            "winner": {"first": 0, "second": 1}.get(game.winner or "", -1),
            "end": teller.ending(game.result, end),
            "turns": begins,
            "health": [*health, [side.health for side in end.sides]],
            "steps": steps,
        }
        if self.chances is not None and (found := self.chances(number)) is not None:
            packed["chances"] = [None if chance is None else round(float(chance), 1) for chance in found]
        return packed

    def cards(self) -> list[list[Any]]:
        """The names of all cards that were seen, each with the number of its faction."""
        by_name = self.job.box.cards.by_name
        return [[text, list(MARKS).index(faction_of(by_name(re.sub(r" #\d+$", "", text)).faction.name))] for text in self.names.texts]

    def _state(self, table: Table) -> Packed:
        """The table in short; numbers at the end of a key are seats."""
        state: Packed = {"street": [[self.names(name), cost] for name, cost in table.street], "market": table.market, "acolytes": table.acolytes}
        for seat, side in enumerate(table.sides):
            state |= {f"{key}{seat}": value for key, value in self._side(side).items()}
        return state

    def _side(self, side: Side) -> Packed:
        def standing(card: Any) -> Any:
            return [self.names(card.name), card.token[0]] if card.token else self.names(card.name)

        return {
            "health": side.health,
            "armor": side.armor,
            "muster": side.tokens,
            "hand": [self.names(name) for name in side.hand],
            "deck": side.deck,
            "discard": len(side.discard),
            "hordes": [[standing(card) for card in horde] for horde in side.hordes],
            "play": [standing(card) for card in side.others],
            "relics": [self.names(name) for name in side.relics],
        }


@dataclass
class Gallery:
    """The games in a page, and which claims they stand behind."""

    data: Packed = field(default_factory=lambda: {"cards": [], "lines": [], "games": []})
    behind: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # id of a finding: its games, with why
    missing: str = ""  # why there are none, in a sentence

    @property
    def shown(self) -> set[int]:
        """The numbers of the games that can be seen in the page."""
        return {game["game"] for game in self.data["games"]}


def gallery(run: Run, findings: Sequence[dict[str, Any]], most: int, chances: Chances | None = None) -> Gallery:
    """Games for the findings, the most pressing first, until there are `most` of them; the other findings get the numbers of theirs."""
    from analysis.examples import Examples
    from simulator.manifest import differences
    from simulator.run import RunError
    from simulator.verify import job_of

    try:
        job = job_of(run)
    except RunError as error:
        return Gallery(missing=str(error))
    if changed := differences(run.info["identity"], job.identity()):
        return Gallery(missing=f"The games cannot be played again here: {'; '.join(changed)}.")
    chooser, packer = Examples(run), Packer(job, chances)
    behind = {finding["id"]: chooser.of(finding) for finding in findings}
    wanted = list(dict.fromkeys(example["game"] for found in behind.values() for example in found))[:most]
    games = [packer.pack(number) for number in wanted]
    return Gallery({"cards": packer.cards(), "lines": packer.lines.texts, "games": games}, behind)
