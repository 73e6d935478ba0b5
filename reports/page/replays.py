"""Games for the replay viewer of the page: played again with the run's own plan, cards and strategies, and packed so that many fit into one file.

A game is a list of steps: the line of the story, and what is different on the table after it. Names of cards and lines of stories are numbers into lists
that all games share. The viewer (templates/viewer.js) lays the differences on top of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from terrors.reports.theme import ALL_MARKS, faction_of
from terrors.simulator.cards.printing import card_sentences

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet
    from terrors.simulator.play.box import Box
    from terrors.simulator.play.game import Game
    from terrors.simulator.runs.job import Job
    from terrors.simulator.runs.run import Run
    from terrors.simulator.story.transcript import Answer

WITH_ALL = 3  # findings that are shown with all of their games: those to look at first
MOST_SLOW = 4  # games of strategies that look ahead: they think about each decision again
Packed = dict[str, Any]
Chances = Callable[[int, str, str], Sequence[float] | None]  # by game and its strategies: the first player's chance after each turn, of 100


@dataclass
class Words:
    """Texts that are named by their number."""

    texts: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def __call__(self, text: str) -> int:
        """Return the number of a text; a new one is put at the end."""
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return self.numbers[text]


class GamePacker:
    """Packs games while they are played; the names and lines of all of them are kept together."""

    def __init__(self, cards: CardSet) -> None:
        """Take the set that is played."""
        self.set = cards
        self.names, self.lines = Words(), Words()
        self._sides: list[tuple[Any, Packed]] = [(None, {}), (None, {})]  # by seat: what was read last, and its state
        self._street: tuple[Any, list[Any]] = (None, [])  # the same

    def play(self, game: Game, answer: Callable[[Game], Answer], number: int, strategies: Sequence[str]) -> Packed:
        """Play a game to its end, as `answer` decides, and return it packed. `strategies`: who plays, by seat."""
        from terrors.simulator.play.names import reading
        from terrors.simulator.story.story_text import Teller
        from terrors.simulator.story.transcript import follow, look_at, player_names

        names = player_names(game)
        teller, seed, now = Teller(names), int(game.record.seed), reading(game.record)
        before: Packed = {}
        steps: list[list[Any]] = []
        begins: list[list[int]] = []  # of each turn: whose it is, and its first step
        health: list[list[int]] = []
        while not game.over:
            turn = game.turn
            if turn and len(begins) < turn:
                begins.append([int(game.record.active), len(steps)])
                health.append([int(player.health) for player in game.record.player])
            step, now = follow(game, *answer(game), now)
            after = self.state(game.box, now) | {"pool": list(step.pool)} if step.turn else {}
            steps.append(
                [
                    turn,
                    self.lines(" ".join(line.strip() for line in teller.lines(step))),
                    {key: value for key, value in after.items() if before.get(key) != value},
                ]
            )
            before = after or before
        end = look_at(game)
        packed: Packed = {
            "game": number,
            "seed": str(seed),
            "names": list(names),
            "factions": [faction_of(game.box.cards.by_name(side.overlord).faction.label) for side in end.sides],
            "strategies": list(strategies),
            "start": [side.start_health for side in end.sides],
            "winner": {"first": 0, "second": 1}.get(game.winner or "", -1),
            "end": teller.ending(game.result, end),
            "turns": begins,
            "health": [*health, [side.health for side in end.sides]],
            "steps": steps,
        }
        return packed

    def cards(self) -> list[list[Any]]:
        """Return the names of all cards that were seen, each with the number of its faction."""
        return [[text, list(ALL_MARKS).index(faction_of(self.set.by_name(text).faction.label))] for text in self.names.texts]

    def data(self, games: list[Packed]) -> Packed:
        """Return games with the names and lines that they use, as the viewer takes them."""
        says = [" ".join(card_sentences(self.set.by_name(text))) for text in self.names.texts]
        return {"cards": self.cards(), "says": says, "lines": self.lines.texts, "games": games}

    def state(self, box: Box, now: Any) -> Packed:
        """Return the table in short; numbers at the end of a key are seats."""
        if self._street[0] is not now.street:  # a reading that has not changed is the same (names.reading)
            self._street = now.street, [[self.names(box.names[place.kind]), box.cards.cards[place.kind].cost] for place in now.street]
        state: Packed = {"street": self._street[1], "market": now.market.n, "acolytes": now.acolytes.n}
        for seat, player in enumerate(now.player):
            if self._sides[seat][0] is not player:
                self._sides[seat] = player, {f"{key}{seat}": value for key, value in self._side(box, player).items()}
            state |= self._sides[seat][1]
        return state

    def _side(self, box: Box, p: Any) -> Packed:
        from terrors.simulator.play.names import hordes_of, is_relic, name_of, slots_in_play, token_of

        def standing(slot: int) -> Any:
            number, token = self.names(name_of(box, p.play[slot].card)), token_of(p.play[slot].marks)
            return [number, token[0]] if token else number

        hordes, there = hordes_of(p), slots_in_play(p)
        relics = {slot for slot in there if is_relic(box, p, slot)}
        chained = {slot for horde in hordes for slot in horde}
        return {
            "health": p.health,
            "armor": p.armor,
            "muster": p.tokens,
            "hand": [self.names(name_of(box, card)) for card in p.hand.card],
            "deck": p.deck.n,
            "discard": p.discard.n,
            "hordes": [[standing(slot) for slot in horde] for horde in hordes],
            "play": [standing(slot) for slot in there if slot not in chained | relics],
            "relics": [standing(slot) for slot in there if slot in relics],
        }


class Packer(GamePacker):
    """Plays games of a run again and packs them."""

    def __init__(self, job: Job, chances: Chances | None = None) -> None:
        """Take the job. `chances`: what a model thinks of a game, if there is one."""
        super().__init__(job.box.cards)
        self.job, self.chances = job, chances
        self._choosers: dict[tuple[int, int], Any] = {}

    def pack(self, number: int) -> Packed:
        """Return one game of the run, packed."""
        from terrors.simulator.story.transcript import Driver

        game = self.job.schedule.table(number)
        strategies = self.job.schedule.strategies_of(number)
        driver = Driver([self._chooser(game.box, strategy, seat) for seat, strategy in enumerate(strategies)])
        packed = self.play(game, driver.answer, number, [self.job.players[strategy].name for strategy in strategies])
        if self.chances is not None and (found := self.chances(number, *packed["strategies"])) is not None:
            packed["chances"] = [round(chance) for chance in found]
        return packed

    def _chooser(self, box: Box, strategy: int, seat: int) -> Any:
        """Return the chooser that decides for a seat; what a strategy thinks of the cards is thought once."""
        from terrors.simulator.story.transcript import strategy_chooser

        if (strategy, seat) not in self._choosers:
            player = self.job.players[strategy]
            self._choosers[strategy, seat] = strategy_chooser(player.compiled, player.work(box))
        return self._choosers[strategy, seat]


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


def games_to_show(behind: Sequence[Sequence[dict[str, Any]]]) -> list[int]:
    """Return the games in the order in which they get a place: all of the first findings, then one of each other, then a second, and so on."""
    first, others = behind[:WITH_ALL], behind[WITH_ALL:]
    in_turn = [found[number] for number in range(max(map(len, others), default=0)) for found in others if number < len(found)]
    return list(dict.fromkeys(example["game"] for example in [*(one for found in first for one in found), *in_turn]))


def gallery(run: Run, findings: Sequence[dict[str, Any]], most: int, chances: Chances | None = None, trusted: bool = False) -> Gallery:
    """Return games for the findings, the most pressing first, until there are `most` of them; the other findings get the numbers of theirs.

    `trusted`: whether code that came with the run may be executed, also if it is not known here.
    """
    from terrors.analysis.examples import Examples
    from terrors.simulator.runs.job import NotTrustedError, job_of
    from terrors.simulator.runs.manifest import differences
    from terrors.simulator.terms.errors import RunError

    try:
        job = job_of(run, trusted)
    except NotTrustedError as error:
        return Gallery(missing=f"This page has no games to replay: {error}")
    except RunError as error:
        return Gallery(missing=str(error))
    if changed := differences(run.info["identity"], job.identity()):
        return Gallery(missing=f"The games cannot be played again here: {'; '.join(changed)}.")
    if any(player.slow for player in job.players):
        most = min(most, MOST_SLOW)
    chooser, packer = Examples(run), Packer(job, chances)
    behind = {finding["id"]: chooser.of(finding) for finding in findings}
    wanted = games_to_show(list(behind.values()))[:most]
    games = [packer.pack(number) for number in wanted]
    if wrong := [game["game"] for game in games if not chooser.is_as_played(game["game"], len(game["turns"]), game["health"][-1])]:
        return Gallery(missing=f"Game {wrong[0]} is not what comes out when it is played again; `terrors verify` says more.")
    return Gallery(packer.data(games), behind)
