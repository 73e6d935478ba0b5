"""NaiveGame: setup, turns and the actions of the Action Phase."""

from __future__ import annotations

import re

from . import luck
from .cards import read
from .effects import MOST_CARDS, Effects
from .table import RULES, Card, GameEnd, Phase, PhaseLimit, Player, Question, Runner

MOST_MARKET = 256  # E2


class NaiveGame(Effects):
    """One game. Ask `options()`, answer with `apply(text)`, until `over`."""

    def __init__(self, csv_text: str, rules: dict, seed: int, first: str, second: str):
        if unknown := set(rules) - set(RULES):
            raise ValueError(f"unknown rules: {sorted(unknown)}")
        self.rules, self.seed = RULES | rules, seed
        if self.rules["relic_limit"] < 1:
            raise ValueError("relic_limit must be at least 1: otherwise a hand of relics could never be played")
        self.rows = read(csv_text)
        overlords = {row.name: row for row in self.rows if row.pile == "overlord"}
        if first not in overlords or second not in overlords:
            raise ValueError("no such overlord")
        a, b = overlords[first], overlords[second]
        if not self.rules["mirror"] and (a is b or (a.faction and a.faction == b.faction)):
            raise ValueError("two overlords of one faction (S3)")
        self.players = [Player(0, a), Player(1, b)]
        self.turn, self.active, self.winner, self.limits, self.total_actions = 0, 0, None, 0, 0
        self.street: list[Card] = []
        self.market: list[Card] = []
        self.acolytes: list[Card] = []
        self.removed: list[Card] = []
        self.haunts = self.rules["haunt_tokens"] or None  # reserve; None = no limit (S2)
        self.musters = self.rules["muster_tokens"] or None
        self.phase = Phase(self.players[0])
        self.runner = Runner(self.main())

    # ------------------------------------------------------------------------------ from outside

    @property
    def over(self) -> bool:
        return self.winner is not None

    @property
    def asked(self) -> int:
        """The seat that must answer; the active one when the game is over."""
        return self.active if self.over else self.runner.question.seat

    def options(self) -> list[str]:
        return [] if self.over else list(self.runner.question.options)

    def apply(self, text: str) -> None:
        """Answer with one of the options, or with `attack 3`, `heal 2`, `convert 2 Power to Coin`."""
        if self.over:
            raise ValueError("the game is over")
        question = self.runner.question
        if text in question.options:
            self.runner.send(question.options[text])
            return
        m = re.fullmatch(r"(attack|heal|convert) (\d+)( .+)?", text)
        amount = int(m[2]) if m else 0
        action = question.options.get(m[1] + (m[3] or "")) if m and question.action else None
        if not action or not 1 <= amount <= action[-1]:
            raise ValueError(f"not legal now: {text!r}")
        self.runner.send((*action[:-1], amount))

    def state(self) -> dict:
        """Everything about the game, hidden things included, as plain values."""

        def names(cards):
            return [card.tag for card in cards]

        return {
            "turn": self.turn,
            "active": self.active,
            "asked": self.asked,
            "winner": self.winner,
            "limits": self.limits,
            "actions": self.phase.actions,
            "total_actions": self.total_actions,
            "street": names(self.street),
            "market": names(self.market),
            "acolytes": names(self.acolytes),
            "reserve": tuple(-1 if left is None else left for left in (self.haunts, self.musters)),
            "removed": names(self.removed),
            "players": [
                {
                    "health": p.health,
                    "coin": p.pool["Coin"],
                    "power": p.pool["Power"],
                    "regeneration": p.pool["Regeneration"],
                    "armor": p.armor,
                    "tokens": p.tokens,
                    "owned": p.owned,
                    "shuffles": p.shuffles,
                    "known": p.known,
                    "hand": names(p.hand),
                    "deck": names(p.deck),
                    "discard": names(p.discard),
                    "removed": names(p.removed),
                    "play": [self.place(card) for card in p.play],
                    "turn": self.of_the_turn() if p is self.me else (0, 0, 0, []),
                }
                for p in self.players
            ],
        }

    def tally(self) -> dict[str, int]:
        """What has happened in this turn, by the names of the turns table."""
        phase, events = self.phase, self.phase.events
        counts = ("coin", "power", "regeneration", "coin_spent", "damage", "healed", "cards_drawn", "longest_horde")
        return {name: phase.tally[name] for name in counts} | {
            "armor_absorbed": phase.stopped,
            "cards_played": events["monster played"] + events["relic played"] + events["Influence played"],
            "bought": events["card bought"],
            "hordes": events["horde formed"],
            "horde_activations": len(phase.used_horde),
            "relics_used": events["relic used"],
            "overlord_used": events["overlord used"],
            "haunts": events["HAUNT action"],
            "curses": events["CURSE"],
            "sacrificed": events["SACRIFICE"],
            "destroyed": events["DESTROY"],
        }

    def of_the_turn(self) -> tuple:
        """What counts until the end of the turn: Power spent on attacks, Health taken with it, CLAIMs to come, conversions."""
        phase = self.phase
        return phase.spent, phase.spent - phase.stopped, phase.claims, sorted(phase.converts)

    def place(self, card: Card) -> tuple:
        """A card in play with its token, its neighbours in the horde, and which of its Horde abilities are used."""
        horde = self.phase.horde_of(card)
        i = horde.index(card) if horde else 0
        left = horde[i - 1].tag if i > 0 else ""
        right = horde[i + 1].tag if i + 1 < len(horde) else ""
        used = [n for n in range(len(card.row.horde)) if (card, n) in self.phase.used_horde]
        return card.tag, card.token, bool(horde), left, right, used

    @property
    def me(self) -> Player:
        """The active player."""
        return self.players[self.active]

    @property
    def foe(self) -> Player:
        return self.players[1 - self.active]

    # ------------------------------------------------------------------------------ the course of the game

    def main(self):
        """Setup, then turns until the end (S8)."""
        try:
            yield self.setup()
            while True:
                self.turn += 1
                yield self.take_turn()
                if self.turn >= self.rules["max_turns"]:
                    raise GameEnd("draw")
                self.active = 1 - self.active
        except GameEnd as end:
            self.winner = end.winner

    def setup(self):
        """S3-S7."""
        chosen = []
        for player in self.players:
            chosen.append((yield self.choose_influences(player)))
        for player in self.players:
            player.deck = self.shuffle(player, self.starting_cards(player) + chosen[player.seat])
            player.owned = len(player.deck)
        self.acolytes = luck.shuffled(self.box("acolyte"), self.seed, luck.ACOLYTE, 0, 0)
        self.market = luck.shuffled(self.box("market"), self.seed, luck.MARKET, 0, 0)[:MOST_MARKET]
        size = self.rules["street_size"]
        self.street, self.market = self.market[:size], self.market[size:]
        self.draw(self.players[0], self.rules["first_hand"])
        self.draw(self.players[1], self.rules["second_hand"])

    def choose_influences(self, player: Player):
        """S3: asked card by card. With `mirror` the second player has the second set."""
        copy = 2 if player.seat == 1 and self.rules["mirror"] else 1
        left = [Card(row, copy) for row in self.rows if row.pile == "influence" and row.overlord == player.overlord.name]
        taken = []
        while left and len(taken) < self.rules["influences"]:
            taken.append((yield Question(player.seat, self.choices("choose ", left))))
            left.remove(taken[-1])
        return taken

    def starting_cards(self, player: Player) -> list[Card]:
        """S4."""
        cards = []
        for row in self.rows:
            if row.pile == "starting":
                each = {"Cultist": self.rules["cultists"], "Fanatic": self.rules["fanatics"]}.get(row.name, row.copies // 2)
                cards += [Card(row, player.seat * each + i) for i in range(1, each + 1)]
        return cards

    def box(self, pile: str) -> list[Card]:
        """All cards of a pile."""
        return [Card(row, i) for row in self.rows if row.pile == pile for i in range(1, row.copies + 1)]

    def take_turn(self):
        """T1: Action Phase, Cleanup Phase, Draw Phase."""
        me = self.me
        self.phase = Phase(me)
        try:
            while True:
                if self.phase.actions >= self.rules["max_actions"]:
                    raise PhaseLimit
                verb, *args = yield Question(me.seat, self.actions(), action=True)
                if verb == "pass":
                    break
                self.count_action()
                yield getattr(self, "act_" + verb)(*args)
        except PhaseLimit:
            self.limits += 1
            if len(me.hand) > 1:  # E1
                me.discard += me.hand
                me.hand = []
        self.heal(me, me.pool["Regeneration"])  # G5
        me.seen.update(me.hand)
        me.deck[:0], me.hand = me.hand, []  # X1
        self.cleanup(me)
        self.draw(me, self.rules["hand_size"] + me.tokens)  # X3
        if self.musters is not None:
            self.musters += me.tokens
        me.tokens = 0

    def cleanup(self, player: Player) -> None:
        """X2; what holds for one Action Phase is over, hordes too (H5)."""
        self.phase = Phase(player)
        for card in list(player.play):
            if not card.relic and card.token != "haunt":
                self.leave_play(player, card)
                player.discard.append(card)
        for resource in player.pool:
            player.pool[resource] = 0
        for card in player.play:
            if card.token:
                card.token = "dismiss"

    # ------------------------------------------------------------------------------ actions

    def actions(self) -> dict[str, tuple]:
        """T2: every legal action, as text: (method, arguments). The amount, if any, comes last."""
        me, phase, pool = self.me, self.phase, self.me.pool
        options: dict[str, tuple] = {t: ("play", card) for t, card in self.choices("play ", me.hand).items()}
        if me.owned < MOST_CARDS:
            for text, card in self.choices("buy ", self.street).items():
                if card.row.cost is not None and pool["Coin"] >= card.row.cost:
                    options[text] = ("buy", card, card.row.cost, False)
                    if self.claimed(card):
                        options[text + " to deck"] = ("buy", card, card.row.cost, True)
            if self.acolytes and pool["Coin"] >= self.acolyte_cost():
                options["buy acolyte"] = ("buy", self.acolytes[0], self.acolyte_cost(), False)
        if pool["Power"]:
            options["attack"] = ("attack", pool["Power"])
        if healable := min(pool["Regeneration"], me.start - me.health):
            options["heal"] = ("heal", healable)
        for a, b in phase.converts:
            if pool[a]:
                options[f"convert {a} to {b}"] = ("convert", a, b, pool[a])
        options |= self.horde_actions()
        for card in me.relics:
            if card not in phase.used_relics and card.row.active:
                options[f"relic {me.label(card)}"] = ("relic", card)
        if me.overlord.active and not 0 < self.overlord_limit() <= phase.used_overlord:
            options["overlord"] = ("overlord",)
        for card in me.monsters():
            if card in phase.began and card.token == "dismiss" and card not in phase.haunted:
                options[f"haunt {me.label(card)}"] = ("haunt", card)
        if len(me.hand) <= 1:  # X1
            options["pass"] = ("pass",)
        return options

    def overlord_limit(self) -> int:
        """O1: what the card says (0 = any number), unless the rules say once."""
        return 1 if self.rules["overlord_limit"] == "once" else self.me.overlord.limit

    def acolyte_cost(self) -> int:
        """B1: what the run sets, else what the card file says."""
        if self.rules["acolyte_cost"] is not None:
            return self.rules["acolyte_cost"]
        return next((r.cost for r in self.rows if r.pile == "acolyte" and r.cost is not None), 2)

    def act_play(self, card: Card):
        """P1-P8."""
        if card.relic:
            yield self.room_for_relic()
        self.me.hand.remove(card)
        faction_on = self.faction_in_play(self.me)
        self.enter_play(self.me, card)
        if not card.relic:
            yield self.activate(card.row.abilities, card, faction_on)
        kinds = [{"Monster": "monster", "Relic": "relic"}.get(card.row.type, "Influence") + " played"]
        if card.monster and card.row.faction:
            kinds.append(f"{card.row.faction} played")
        yield self.event(*kinds, own=card)

    def act_buy(self, card: Card, cost: int, to_deck: bool):
        yield self.purchase(card, {"Coin": cost}, to_deck)

    def act_attack(self, n: int):
        """A1, A2: each point of Power is a point of damage; Armor stops those that come until it has stopped as many in this turn as it now counts."""
        yield from ()
        self.me.pool["Power"] -= n
        self.phase.spent += n
        damage = 0
        for _ in range(n):
            if self.phase.stopped < self.foe.armor:
                self.phase.stopped += 1
            else:
                damage += 1
        self.phase.tally["damage"] += min(damage, self.foe.health)
        self.lose(self.foe, damage)

    def act_heal(self, n: int):
        """G5."""
        yield from ()
        self.me.pool["Regeneration"] -= n
        self.heal(self.me, n)

    def act_convert(self, a: str, b: str, n: int):
        """G1."""
        yield from ()
        self.me.pool[a] -= n
        self.gain(b, n)

    def horde_actions(self) -> dict[str, tuple]:
        """H2: form a horde of two, or add one at an end."""
        name, options = self.me.labels(), {}
        free = [card for card in self.me.monsters() if not self.phase.horde_of(card)]
        for a in free:
            for b in free:
                if a is not b and self.compatible(a, b) and self.may_meet(a, b):
                    options[f"horde {name[a]} + {name[b]}"] = ("horde", None, a, b)
            for horde in self.phase.hordes:
                if self.phase.group_of.get(a, horde) is not horde:
                    continue  # H5
                if self.compatible(a, horde[0]):
                    options[f"horde {name[a]} + {name[horde[0]]}…"] = ("horde", horde, a, None)
                if self.compatible(horde[-1], a):
                    options[f"horde …{name[horde[-1]]} + {name[a]}"] = ("horde", horde, None, a)
        return options

    def may_meet(self, a: Card, b: Card) -> bool:
        """H5, H7: two that were in no horde; or one that its horde has left alone, with one that was in that horde or in none."""
        one, two = self.phase.group_of.get(a), self.phase.group_of.get(b)
        if one is None and two is None:
            return True
        if one is not None and two is not None and one is not two:
            return False
        return (one is not None and one == [a]) or (two is not None and two == [b])

    def compatible(self, left: Card, right: Card) -> bool:
        """H1: each names the other's faction on the side where they touch."""
        return bool(left.row.right and right.row.left) and (left.row.right == right.row.faction and right.row.left == left.row.faction)

    def act_horde(self, horde: list[Card] | None, left: Card | None, right: Card | None):
        """H2, H3, N3."""
        formed = horde is None
        if formed:
            horde = self.phase.group_of.get(left) or self.phase.group_of.get(right)  # H7: what is left of a horde is that horde again; an empty one never is
            if not horde:
                horde = []
                self.phase.groups.append(horde)
            horde[:] = []
        for card, place in ((left, 0), (right, len(horde) + 1)):
            if card:
                horde.insert(place, card)
                self.phase.group_of[card] = horde
                if card.token:
                    card.token = "dismiss"
        self.phase.tally["longest_horde"] = max(self.phase.tally["longest_horde"], len(horde))
        abilities = self.horde_options(horde)
        must = self.rules["horde_expand"] == "must" and not formed and abilities  # H3
        yield self.use_horde(abilities if must else abilities | {"activate none": None})
        yield self.event("horde formed" if formed else "horde expanded")

    def act_relic(self, card: Card):
        """R1."""
        self.phase.used_relics.add(card)
        yield self.activate(card.row.abilities, card)
        yield self.event("relic used")

    def act_overlord(self):
        """O1."""
        self.phase.used_overlord += 1
        yield self.activate(self.me.overlord.abilities, None)
        yield self.event("overlord used")

    def act_haunt(self, card: Card):
        """N1: not a play."""
        self.phase.haunted.add(card)
        yield self.activate(card.row.abilities, card)
        yield self.event("HAUNT action")
