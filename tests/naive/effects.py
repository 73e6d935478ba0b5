"""What abilities do: one method `do_...` for each kind of ability.

Methods that may have to ask are generators; they call each other by `yield` (see table.Runner).
`me` is the active player, whose ability it is; `source` is the card that it is on, None for the overlord.
"""

from __future__ import annotations

from itertools import product
from types import GeneratorType

from .cards import RESOURCES, STATIC, Ability, parse
from .table import Card, Player, Question, Table

MOST_CARDS = 128  # E2


class Effects(Table):
    """The part of the game that resolves abilities. NaiveGame adds setup, turns and actions."""

    def activate(self, abilities, source: Card | None, faction_on: bool | None = None):
        """P2: what is activated together: resources, keywords, then the rest; last the faction part (P6)."""
        if faction_on is None:
            faction_on = self.faction_in_play(self.me)
        for ability in sorted(abilities, key=lambda a: a.rank):
            if ability.op != "faction" or faction_on:
                yield self.resolve(ability, source)

    def resolve_all(self, abilities, source: Card | None):
        """Abilities joined by `and`, in the order as written."""
        for ability in abilities:
            yield self.resolve(ability, source)

    def resolve(self, ability: Ability, source: Card | None):
        """One ability, with the triggers that it sets off."""
        if ability.rank != STATIC:
            running = getattr(self, "do_" + ability.op.replace(" ", "_"))(ability, source)
            if isinstance(running, GeneratorType):
                yield running

    def do_faction(self, a, source):
        """P6: the part of an Influence card that works only with a faction monster in play."""
        yield self.resolve_all(a.body, source)

    def amount(self, a: Ability, source: Card | None) -> int:
        """The number of an ability; `per …` is counted when activated."""
        if not a.per:
            return a.n
        if a.per == "relic":
            return a.n * len(self.me.relics)
        if a.per == "hand":
            return a.n * len(self.me.hand)
        return a.n * len(self.phase.horde_of(source) if a.per == "horde" else self.me.monsters(a.per))

    def do_gain(self, a, source):
        self.gain(a.words[0], self.amount(a, source))

    def do_curse(self, a, source):
        """K1: the opponent loses Health or discards."""
        n = self.rules["curse_discard"]
        options = {"choose health": None}
        if 0 < n <= len(self.foe.hand):
            options |= self.choices("choose discard ", self.foe.hand)
        card = yield Question(self.foe.seat, options)
        if card is None:
            self.lose(self.foe, self.rules["curse_health"])
        while card:
            self.foe.hand.remove(card)
            self.foe.discard.append(card)
            n -= 1
            card = (yield Question(self.foe.seat, self.choices("choose discard ", self.foe.hand))) if n else None
        yield self.event("CURSE")

    def target(self, options: dict):
        """Choose a target of SACRIFICE, DESTROY or COMMAND; None if there is none or it is declined (K11)."""
        if not options:
            return None
        if self.rules["optional_keywords"]:
            options = options | {"choose none": None}
        return (yield Question(self.me.seat, options))

    def do_destroy(self, a, source):
        """K2: a card in play to its owner's discard pile, or a Street card out of the game."""
        options = {f"choose {self.me.label(card)}": (self.me, card) for card in self.me.play}
        options |= {f"choose opponent {self.foe.label(card)}": (self.foe, card) for card in self.foe.play}
        options |= {text: (None, card) for text, card in self.choices("choose Street ", self.street).items()}
        if (chosen := (yield self.target(options))) is None:
            return
        owner, card = chosen
        if owner:
            self.leave_play(owner, card)
            owner.discard.append(card)
        else:
            self.leave_street(card)
            self.removed.append(card)
        yield self.event("DESTROY")

    def do_sacrifice(self, a, source):
        """K3: from play, hand or discard pile."""
        options: dict[str, Card] = {}
        if "play" in a.words:
            options |= {f"choose {self.me.label(card)}": card for card in self.me.play}
        for place in ("hand", "discard"):
            if place in a.words:
                options |= self.choices(f"choose {place} ", getattr(self.me, place))
        if card := (yield self.target(options)):
            yield self.sacrifice(card, source)

    def sacrifice(self, card: Card, source):
        """K3: the card leaves the game, then the gain, then the triggers."""
        if card in self.me.play:
            self.leave_play(self.me, card)
        else:
            (self.me.hand if card in self.me.hand else self.me.discard).remove(card)
        self.me.removed.append(card)
        if self.rules["sacrifice_gain"] != "nothing":
            yield self.resolve_all(parse(self.rules["sacrifice_gain"]), source)
        yield self.event("SACRIFICE")

    def do_command(self, a, source):
        """K4: a cheap monster from the discard pile to the hand."""
        cards = [c for c in self.me.discard if c.monster and (c.row.cost or 0) <= self.rules["command_max_cost"]]
        if card := (yield self.target(self.choices("choose ", cards))):
            self.me.discard.remove(card)
            self.me.hand.append(card)
            yield self.event("COMMAND")

    def do_rage(self, a, source):
        """K5: one of the alternatives that the rules name."""
        texts = [" ".join(text.split()) for text in self.rules["rage_choice"].split("|")]
        yield self.do_choose(Ability("choose", options=tuple((text, parse(text)) for text in texts)), source)

    def do_muster(self, a, source):
        """K6: a token from the reserve, if there is one."""
        if self.musters != 0:
            self.me.tokens += 1
            if self.musters is not None:
                self.musters -= 1

    def do_draw(self, a, source):
        if self.draw(self.me, self.amount(a, source)):
            yield self.event("reshuffle")

    def do_haunt(self, a, source):
        """K8: this monster, if it is still in play."""
        if source in self.me.play and source.monster:
            self.give_token(source)

    def do_haunt_another(self, a, source):
        """K8: a monster of yours without a token. Nothing is asked when no token is left."""
        cards = [c for c in self.me.monsters() if not c.token and c is not source]
        if cards and self.haunts != 0:
            options = {f"choose {self.me.label(card)}": card for card in cards}
            self.give_token((yield Question(self.me.seat, options)))

    def do_gain_health(self, a, source):
        self.heal(self.me, self.amount(a, source))

    def do_lose_health(self, a, source):
        self.lose(self.me, a.n)

    def do_opponent_loses(self, a, source):
        self.lose(self.foe, self.amount(a, source))

    def discard_one(self, player: Player, decline: bool = False):
        """G3: the player chooses a card of the hand and discards it. The card, or None if declined or no card."""
        options: dict = self.choices("choose ", player.hand)
        if decline:
            options["choose no"] = None
        card = (yield Question(player.seat, options)) if player.hand else None
        if card:
            player.hand.remove(card)
            player.discard.append(card)
            if player is self.me:
                yield self.event("card discarded")
        return card

    def do_discard(self, a, source):
        for _ in range(a.n):
            yield self.discard_one(self.me)

    def do_opponent_discards(self, a, source):
        for _ in range(a.n):
            yield self.discard_one(self.foe)

    def do_convert(self, a, source):
        """G1: from now on in this Action Phase."""
        if a.words not in self.phase.converts:
            self.phase.converts.append(a.words)

    def do_look(self, a, source):
        """G2: any of the top cards to the discard pile, one by one."""
        again = self.dig(self.me, a.n)
        seen = self.me.deck[: a.n]
        self.me.seen.update(seen)
        while seen:
            card = yield Question(self.me.seat, self.choices("choose ", seen) | {"choose none": None})
            if card is None:
                break
            for pile in (seen, self.me.deck, self.me.seen):
                pile.remove(card)
            self.me.discard.append(card)
        if again:
            yield self.event("reshuffle")

    def do_reveal(self, a, source):
        """G2: what fits goes to the hand, top first."""
        again = self.dig(self.me, a.n)
        wanted = a.words[0]
        for card in self.me.deck[: a.n]:
            if wanted == card.row.type.lower() or (card.monster and wanted == card.row.faction.lower()):
                self.me.deck.remove(card)
                self.me.seen.discard(card)
                self.me.hand.append(card)
            else:
                self.me.seen.add(card)
        if again:
            yield self.event("reshuffle")

    def do_shuffle(self, a, source):
        """Discard pile and deck become one deck; nothing if the discard pile is empty."""
        if self.me.discard:
            self.me.deck, self.me.discard = self.shuffle(self.me, self.me.deck + self.me.discard), []
            self.me.seen.clear()
            yield self.event("reshuffle")

    def horde_options(self, cards: list[Card]) -> dict:
        """H4: the unused Horde abilities of these cards."""
        return {
            f"activate {self.me.label(card)}" + (f" {i + 1}" if i else ""): (card, i)
            for card in cards
            for i in range(len(card.row.horde))
            if (card, i) not in self.phase.used_horde
        }

    def use_horde(self, options: dict):
        """Choose one of the Horde abilities offered and activate it."""
        if options and (chosen := (yield Question(self.me.seat, options))):
            card, i = chosen
            self.phase.used_horde.add((card, i))
            yield self.activate(card.row.horde[i], card)

    def do_activate_horde(self, a, source):
        yield self.use_horde(self.horde_options(self.me.monsters()))

    def do_next_claim(self, a, source):
        self.phase.claims += 1

    def do_buy(self, a, source):
        """A purchase by an ability: a Street monster, paid with any mix of the named resources."""
        words = [r for r in RESOURCES if r in a.words]
        budget = sum(self.me.pool[r] for r in words)
        options: dict = {}
        for card in self.street:
            if card.monster and card.row.cost is not None and card.row.cost <= min(a.n, budget):
                options.setdefault(f"choose {card.name}", (card, False))
                if self.claimed(card):
                    options.setdefault(f"choose {card.name} to deck", (card, True))
        if not options or self.me.owned >= MOST_CARDS:
            return
        chosen = yield Question(self.me.seat, options | {"choose none": None})
        if chosen:
            card, to_deck = chosen
            mixes = {}
            for parts in product(*(range(min(self.me.pool[r], card.row.cost) + 1) for r in words)):
                if sum(parts) == card.row.cost:
                    text = " and ".join(f"{n} {r}" for n, r in zip(parts, words, strict=False) if n)
                    mixes[f"choose {text}"] = dict(zip(words, parts, strict=False))
            yield self.purchase(card, (yield Question(self.me.seat, mixes)), to_deck)

    def claimed(self, card: Card) -> bool:
        """B3: whether this Street card may be put on top of the deck when it is bought."""
        return card.monster and (card.row.claim or self.phase.claims > 0)

    def purchase(self, card: Card, price: dict[str, int], to_deck: bool):
        """B1-B5: a Street card or the top Acolyte is paid for and goes to its place."""
        if card.relic:
            yield self.room_for_relic()
        for resource, n in price.items():
            self.pay(resource, n)
        if card in self.street:
            self.leave_street(card)
            if card.monster and self.phase.claims:
                self.phase.claims -= 1
        else:
            self.acolytes.remove(card)
        self.me.owned += 1
        if card.relic:
            self.enter_play(self.me, card)
        elif to_deck:
            self.me.deck.insert(0, card)
            self.me.seen.add(card)
        else:
            self.me.discard.append(card)
        kind = {"Monster": ["monster bought"], "Relic": ["relic bought"]}.get(card.row.type, [])
        yield self.event("card bought", *kind)

    def room_for_relic(self):
        """P8: with a full Relic area, first remove one of those there from the game."""
        if len(self.me.relics) >= self.rules["relic_limit"]:
            options = {f"choose {self.me.label(card)}": card for card in self.me.relics}
            card = yield Question(self.me.seat, options)
            self.leave_play(self.me, card)
            self.me.removed.append(card)

    def do_take(self, a, source):
        """A Street monster for nothing, to the discard pile; not a purchase."""
        cards = [c for c in self.street if c.monster and (c.row.cost or 0) <= a.n]
        if cards and self.me.owned < MOST_CARDS:
            card = yield Question(self.me.seat, self.choices("choose ", cards))
            self.leave_street(card)
            self.me.owned += 1
            self.me.discard.append(card)

    def do_choose(self, a, source):
        """One of the alternatives, named by its text."""
        body = yield Question(self.me.seat, {f"choose {text}": body for text, body in a.options})
        yield self.resolve_all(body, source)

    def do_if(self, a, source):
        kind = a.words[0]
        if kind == "faction":
            holds = bool(self.me.monsters(a.words[1]))
        elif kind == "health":
            holds = self.me.health <= a.n
        else:
            holds = len(self.foe.relics) >= a.n
        if holds:
            yield self.resolve_all(a.body, source)

    # ------------------------------------------------------------------------------ costs: may be declined (K11)

    def agreed(self):
        return (yield Question(self.me.seat, {"choose yes": True, "choose no": False}))

    def do_cost_pay(self, a, source):
        """G6: a Health cost must leave 1 Health."""
        health = a.words[0] == "Health"
        possible = self.me.health > a.n if health else self.me.pool[a.words[0]] >= a.n
        if possible and (yield self.agreed()):
            if health:
                self.lose(self.me, a.n)
            else:
                self.pay(a.words[0], a.n)
            yield self.resolve_all(a.body, source)

    def do_cost_discard(self, a, source):
        """G3: needs the full number."""
        if len(self.me.hand) < a.n:
            return
        for i in range(a.n):
            if not (yield self.discard_one(self.me, decline=i == 0)):
                return
        yield self.resolve_all(a.body, source)

    def do_cost_sacrifice(self, a, source):
        """K3: SACRIFICE this, if it is still in play."""
        if source in self.me.play and (yield self.agreed()):
            yield self.sacrifice(source, source)
            yield self.resolve_all(a.body, source)
