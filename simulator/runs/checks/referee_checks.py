"""The referee's checks, each a small function whose docstring names its rule (docs/RULES.md).

`ALONE` looks at a row, `BETWEEN` at a row and the one that follows it, `AT_THE_END` at a whole game. Between two rows nobody has chosen anything, since every
choice is a row: what moves then is drawn, shuffled, gained or lost by abilities that ask nobody.
"""

from __future__ import annotations

from collections import Counter

from terrors.simulator.runs.checks.referee import (
    PLACES,
    PLAYERS,
    POOL,
    SEATS,
    STREET,
    TOKEN,
    UNLIMITED,
    DecisionRow,
    Referee,
    TurnNotes,
    after,
    chains_after,
    game_end,
    is_acolyte,
    setup,
    waits,
)
from terrors.simulator.terms.enums import CardType, Mark, Pile

HORDES = ("horde", "horde left", "horde right")
ACTIVATIONS = ("play", "relic", "haunt", "overlord")


def cards_in_one_place(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """S2: every card is in exactly one place, and piles hold as many as is said."""
    twice = [card for card, n in Counter(card for card, _ in sheet.everywhere()).items() if n > 1]
    referee.expect("S2", not twice, "{} lies in two places", twice and twice[0])
    for seat, side in zip(SEATS, sheet.sides, strict=True):
        counted = sheet.row[f"{seat}_deck"] == len(side.deck) and sheet.row[f"{seat}_discard"] == len(side.discard)
        referee.expect("S2", counted, "the {} player's deck or discard pile does not hold as many cards as is said", seat)


def offered_and_forced(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """T2: whoever decides has something to choose from, and a choice with a single answer is marked as forced."""
    offered = sheet.row["offered"]
    if sheet.action is None:
        referee.expect("T4", offered == 0 and sheet.question == "none", "something is asked although the game is over")
        return
    referee.expect("T2", offered >= 1, "a choice among {} options", offered)
    referee.expect("T2", sheet.row["forced"] == (offered == 1), "marked as {}forced with {} options", "" if sheet.row["forced"] else "not ", offered)


def who_is_asked(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """K1: the rival answers a CURSE; everything but a discard is else decided by the player whose turn it is."""
    if sheet.action is not None and sheet.turn and sheet.question != "discard":
        wanted = 1 - sheet.active if sheet.question == "curse" else sheet.active
        referee.expect("K1", sheet.seat == wanted, "{} answered the question {}", PLAYERS[sheet.seat], sheet.question)


def curse_answers(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """K1: lose Health, or discard if there are cards enough; each kind of card is one option."""
    if sheet.question != "curse":
        return
    rules, hand = referee.facts.rules, sheet.rival.hand
    kinds = len({name for name, _ in hand}) if len(hand) >= rules.curse_discard > 0 else 0
    referee.expect("K1", sheet.row["offered"] == 1 + kinds, "{} answers to a CURSE, and there are {}", sheet.row["offered"], 1 + kinds)
    if sheet.action == "health":
        referee.expect("K1", sheet.row["amount"] == rules.curse_health, "a CURSE for {} Health instead of {}", sheet.row["amount"], rules.curse_health)


def health_in_bounds(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """G4, T4: Health never exceeds its start, and the game goes on only while both have some."""
    for seat, side in zip(SEATS, sheet.sides, strict=True):
        most = referee.facts.of(sheet.row[f"{seat}_overlord"]).health or 0
        referee.expect("G4", side.health <= most, "the {} player has {} Health, more than the {} of the start", seat, side.health, most)
        if sheet.action is not None:
            referee.expect("T4", side.health > 0, "the game goes on although the {} player has {} Health", seat, side.health)


def pool_not_negative(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """T3: the pool never holds less than nothing, and nobody pays more than it holds."""
    for name, there, paid in zip(POOL, sheet.pool, sheet.pay, strict=True):
        referee.expect("T3", 0 <= paid <= there, "{} {} paid out of {}", paid, name, there)


def price(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """B1: a purchase costs what the card says, an Acolyte what the rules say."""
    if sheet.action == "buy" and sheet.chosen:
        cost = referee.facts.of(sheet.chosen).cost
        referee.expect("B1", sheet.pay[0] == cost, "{} was bought for {} Coin, and costs {}", sheet.chosen, sheet.pay[0], cost)
    elif sheet.action == "buy acolyte":
        cost = referee.facts.acolyte_cost
        referee.expect("B1", sheet.pay[0] == cost, "an Acolyte was bought for {} Coin, and costs {}", sheet.pay[0], cost)
        referee.expect("S5", sheet.row["acolytes"] > 0, "an Acolyte was bought although none is left")
    elif sheet.action == "mix" and notes.waiting and notes.waiting.chosen:
        cost = referee.facts.of(notes.waiting.chosen).cost
        referee.expect("B1", sum(sheet.pay) == cost, "{} was paid with {} in all, and costs {}", notes.waiting.chosen, sum(sheet.pay), cost)


def destination(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """B3, B5: only a monster with CLAIM goes to the deck, and a relic goes to the Relic area."""
    if sheet.to is None or not sheet.chosen:
        return
    card = referee.facts.of(sheet.chosen)
    claim = card.type == CardType.MONSTER and (card.claim or sheet.row["claims"] > 0)
    referee.expect("B3", sheet.to != "deck" or claim, "{} went to the deck without CLAIM", sheet.chosen)
    referee.expect("B5", (sheet.to == "relics") == (card.type == CardType.RELIC), "{} went to the {}", sheet.chosen, sheet.to)


def chosen_lies_there(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """P1, K2, K3, K4, G3: the chosen card lies where it is taken from."""
    if not sheet.chosen or sheet.place is None:
        return
    rule = {"action": "P1", "destroy": "K2", "sacrifice": "K3", "command": "K4", "look": "G2"}.get(sheet.question, "G3")
    owner = 1 - sheet.active if sheet.place == "rival play" else sheet.seat
    wanted = STREET if sheet.place == "street" else (PLACES[sheet.place], owner)
    referee.expect(rule, sheet.where.get(sheet.chosen) == wanted, "{} was chosen in the place {}, and does not lie there", sheet.chosen, sheet.place)


def command_target(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """K4: COMMAND takes a monster that does not cost too much."""
    if sheet.question == "command" and sheet.chosen:
        card, most = referee.facts.of(sheet.chosen), referee.facts.rules.command_max_cost
        cheap = card.type == CardType.MONSTER and (card.cost or 0) <= most
        referee.expect("K4", cheap, "COMMAND took {}, which is no monster of cost {} or less", sheet.chosen, most)


def looked_at(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """G2: what is chosen is one of the cards on top that are looked at."""
    if sheet.question == "look" and sheet.chosen:
        top = sheet.me.deck[len(sheet.me.deck) - sheet.row["looked"] :]
        referee.expect("G2", sheet.chosen in top, "{} was chosen, and is not among the {} cards looked at", sheet.chosen, sheet.row["looked"])


def health_cost(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """G6: whoever pays with Health keeps at least 1."""
    if sheet.row["pay_health"]:
        referee.expect("G6", sheet.row["pay_health"] < sheet.me.health, "{} Health paid out of {}", sheet.row["pay_health"], sheet.me.health)


def relic_limit(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """P8: no more relics in the Relic area than the limit."""
    for seat, side in zip(SEATS, sheet.sides, strict=True):
        n = len(referee.facts.relics(side))
        referee.expect("P8", n <= referee.facts.rules.relic_limit, "the {} player has {} relics in play", seat, n)


def hordes_of_two(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """H7: a horde is two or more. H5: outside of their own turn nobody has hordes."""
    for chain in sheet.me.chains:
        referee.expect("H7", len(chain) > 1, "{} is a horde of one", chain[0])
    referee.expect("H5", not sheet.rival.chains, "{} has a horde outside of their own turn", PLAYERS[1 - sheet.active])


def horde_action(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """H1, H2, H5: only monsters in no horde join, at the ends, beside one that they link with, and in a turn only one horde."""
    if sheet.action not in HORDES or not sheet.chosen or not sheet.other:
        return
    left, right = (sheet.other, sheet.chosen) if sheet.action == "horde right" else (sheet.chosen, sheet.other)
    referee.expect("H1", referee.facts.links(left, right), "{} came to stand to the left of {}, and they do not link", left, right)
    horde = sheet.me.horde
    referee.expect("H2", horde.get(sheet.chosen) == 0, "{} joined a horde, and is not free in play", sheet.chosen)
    if sheet.action == "horde":
        referee.expect("H2", horde.get(sheet.other) == 0, "{} formed a horde, and is not free in play", sheet.other)
    else:
        chain = next((chain for chain in sheet.me.chains if sheet.other in chain), (None,))
        end = chain[0] if sheet.action == "horde left" else chain[-1]
        referee.expect("H2", end == sheet.other, "{} is joined, and is not that end of a horde", sheet.other)
    were = {notes.horde[card] for card in (sheet.chosen, sheet.other) if card in notes.horde}
    referee.expect("H5", len(were) < 2, "{} and {} have been in two different hordes this turn", sheet.chosen, sheet.other)


def horde_ability(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """H4: a Horde ability is used once in a turn. H3: after a Horde Action it is one of that horde."""
    if sheet.action != "ability" or not sheet.chosen:
        return
    number = sheet.row["amount"]
    there = number < len(referee.facts.of(sheet.chosen).horde)
    referee.expect("H4", there and (sheet.chosen, number) not in notes.abilities, "ability {} of {} was used again, or is none", number + 1, sheet.chosen)
    if sheet.question == "horde ability" and sheet.cause:
        same = sheet.me.horde.get(sheet.cause) == sheet.me.horde.get(sheet.chosen) != 0
        referee.expect("H3", same, "{} is not in the horde of {}", sheet.chosen, sheet.cause)


def relic_once(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """R1: a relic is used once a turn."""
    if sheet.action == "relic" and sheet.chosen:
        unused = notes.relics[sheet.chosen] == 0 and not sheet.me.marks.get(sheet.chosen, 0) & Mark.RELIC_USED
        referee.expect("R1", unused and referee.facts.is_relic(sheet.chosen), "{} was used a second time, or is no relic", sheet.chosen)


def haunt_action(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """N1: a monster that began the turn in play, with its token on Dismiss, once."""
    if sheet.action == "haunt" and sheet.chosen:
        marks = sheet.me.marks.get(sheet.chosen, 0)
        may = sheet.chosen in notes.began and marks & Mark.DISMISS_SIDE and sheet.chosen not in notes.haunted
        referee.expect("N1", bool(may), "{} was activated by a HAUNT Action, and may not be", sheet.chosen)


def one_token(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """N2: a monster has one token at the most, only monsters have one, and no token comes or goes but from and to the reserve (S2)."""
    for side in sheet.sides:
        for card, marks in side.marks.items():
            if marks & TOKEN:
                single = marks & TOKEN != TOKEN and referee.facts.of(card).type == CardType.MONSTER
                referee.expect("N2", single, "{} has two tokens, or is no monster", card)
    rules, row = referee.facts.rules, sheet.row
    if rules.haunt_tokens and row["haunt_tokens"] < UNLIMITED:
        out = sum(bool(marks & TOKEN) for side in sheet.sides for marks in side.marks.values())
        referee.expect("S2", row["haunt_tokens"] + out == rules.haunt_tokens, "{} HAUNT tokens in the reserve and {} in play", row["haunt_tokens"], out)
    if rules.muster_tokens and row["muster_tokens"] < UNLIMITED:
        out = sum(side.muster for side in sheet.sides)
        referee.expect("S2", row["muster_tokens"] + out == rules.muster_tokens, "{} MUSTER tokens in the reserve and {} taken", row["muster_tokens"], out)


def limits(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """E1: no turn beyond the last, no action beyond the last."""
    rules, row = referee.facts.rules, sheet.row
    referee.expect("E1", row["turn"] <= rules.max_turns, "turn {} of at most {}", row["turn"], rules.max_turns)
    if sheet.question == "action":
        referee.expect("E1", row["actions"] < rules.max_actions, "another action after {} of them", row["actions"])


def pass_with_one_card(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """X1: a player passes with 0 or 1 cards in hand."""
    if sheet.action == "pass":
        referee.expect("X1", len(sheet.me.hand) <= 1, "passed with {} cards in hand", len(sheet.me.hand))


def turn_order(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """S8: after Pass it is the other player's turn; until then it stays this one's."""
    if not sheet.turn:
        referee.expect("S8", following.turn <= 1 and following.active == 0, "the first turn is not the first player's")
        return
    cut = following.row["limits"] > sheet.row["limits"]
    over = following.action is None
    changes = 1 if (sheet.action == "pass" or cut) and not (over and following.turn == sheet.turn) else 0
    right = following.turn == sheet.turn + changes and following.active == (sheet.active + changes) % 2
    referee.expect("S8", right, "turn {} of {} follows turn {}", following.turn, PLAYERS[following.active], sheet.turn)
    referee.expect("E1", 0 <= following.row["limits"] - sheet.row["limits"] <= 1, "the count of Action Phases cut short jumps")
    if not changes and not over:
        rises = following.row["actions"] - sheet.row["actions"]
        referee.expect("E1", rises >= (sheet.question == "action"), "{} actions are counted after {}", following.row["actions"], sheet.row["actions"])


def _ends(sheet: DecisionRow, following: DecisionRow) -> bool:
    return sheet.action == "pass" or following.row["limits"] > sheet.row["limits"]


def cards_move(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """S2, B2, B4: cards move as the decision says; otherwise only from deck to hand and from discard pile to deck, of the player whose turn it is."""
    if not sheet.turn:
        return
    facts, me = referee.facts, sheet.active
    wanted = after(facts, sheet, notes)
    new = [card for card in following.where if card not in sheet.where]
    ends = _ends(sheet, following)
    own = {("hand", me), ("deck", me), ("discard", me)} | ({("play", me)} if ends else set())
    silent = (("deck", "hand"), ("discard", "deck"), ("discard", "hand"))
    misplaced = [(card, place, following.where.get(card)) for card, place in wanted.where.items() if following.where.get(card) != place]
    referee.compared["S2"] += len(wanted.where) - len(misplaced)
    for card, place, now in misplaced:
        drawn = now is not None and place in own and now in own and (ends or (place[0], now[0]) in silent)
        referee.expect("S2", drawn, "{} should be in {}, and is in {}", card, place[0], now and now[0])
    kept = len(following.street) == len(wanted.street) and all(card in (None, now) for card, now in zip(wanted.street, following.street, strict=False))
    fresh = all(now in new and facts.of(now).pile == Pile.MARKET for card, now in zip(wanted.street, following.street, strict=False) if card is None)
    referee.expect("B2", kept and fresh and wanted.market == following.row["market"], "the Street is not what is left of it, refilled from the Market")
    acolytes = [card for card in new if is_acolyte(facts, card)]
    bought = sheet.action == "buy acolyte"
    mine = all(following.where[card][1] == me and following.where[card][0] != "play" for card in acolytes)
    right = wanted.acolytes == following.row["acolytes"] and len(acolytes) == bought and mine
    referee.expect("B4", right, "{} Acolytes are left and {} came, after {}", following.row["acolytes"], len(acolytes), sheet.action)
    others = [card for card in new if card not in following.street and card not in acolytes]
    referee.expect("S2", not others, "{} comes from nowhere", others and others[0])


def deck_order(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """X4, K7: cards are drawn from the top of the deck, and only the discard pile is shuffled."""
    if not sheet.turn or _ends(sheet, following):
        return
    wanted = after(referee.facts, sheet, notes).where
    for seat in range(2):
        now = following.sides[seat]
        shuffled = any(place == ("discard", seat) and following.where.get(card) != place for card, place in wanted.items())
        unseen = sheet.action == "buy acolyte" and seat == sheet.active  # nobody knows which card it is, should it be shuffled at once
        if shuffled or unseen or following.row["revealed"]:
            continue
        left = [card for card in sheet.sides[seat].deck if wanted[card] == ("deck", seat)]
        left += [card for card in now.deck if wanted.get(card) == ("deck", seat) and card not in left]  # one that was bought with CLAIM
        referee.expect("X4", now.deck == left[: len(now.deck)], "the deck of {} is not what is left of it from below", PLAYERS[seat])


def relic_question(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """P8: with a full Relic area a relic comes only after one of the others has left."""
    if waits(referee.facts, sheet):
        referee.expect("P8", following.question == "relic limit", "a relic came to a full Relic area without a choice")


def attack(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """A1, A2: each Power is one damage; Armor stops as much as it exceeds what it has stopped in this turn, the rest is lost."""
    if sheet.action == "attack":
        stops = min(sheet.pay[1], max(0, referee.facts.armor(sheet.rival) - notes.stopped))
        wanted = max(0, sheet.rival.health - (sheet.pay[1] - stops))
        now = following.sides[1 - sheet.active].health
        referee.expect("A2", now == wanted, "{} Power against {} Health, of which Armor stops {}, leave {}", sheet.pay[1], sheet.rival.health, stops, now)


def _may(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> set[str]:
    """Return what abilities that ask nobody may change after this decision."""
    kinds, may = referee.facts.kinds, set()
    for name in notes.actors:
        may |= kinds[name].by_trigger
        if sheet.question != "action":  # a program is under way, of a card that is or was in play
            may |= kinds[name].by_itself | kinds[name].on_horde
    if sheet.action in ACTIVATIONS and sheet.row["card"]:
        may |= kinds[sheet.row["card"]].by_itself
    if sheet.chosen:
        may |= kinds[sheet.chosen[0]].by_trigger
    if sheet.question == "relic limit" and notes.waiting and notes.waiting.chosen:  # the relic that comes hears of its own purchase (B5)
        may |= kinds[notes.waiting.chosen[0]].by_trigger
    return may


def pool_arithmetic(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """T3, P2, K3: the pool loses what was paid and gains what is printed; more only where an ability may give more; Pass empties it."""
    if not sheet.turn or following.action is None:
        return
    if _ends(sheet, following):
        referee.expect("T3", following.pool == [0, 0, 0], "the turn begins with {} in the pool", following.pool)
        return
    wanted, waiting = list(sheet.pool), notes.waiting if sheet.question == "relic limit" else None
    if not waits(referee.facts, sheet):
        paid = waiting.pay if waiting else sheet.pay
        wanted = [there - one for there, one in zip(wanted, paid, strict=True)]
    if sheet.action in ACTIVATIONS and not (sheet.action == "play" and sheet.chosen and referee.facts.is_relic(sheet.chosen)):
        wanted = [there + one for there, one in zip(wanted, referee.facts.kinds[sheet.row["card"]].printed, strict=True)]
    if (sheet.question == "sacrifice" and sheet.chosen) or (sheet.action == "yes" and sheet.place == "play"):
        wanted = [there + one for there, one in zip(wanted, referee.facts.sacrifice, strict=True)]
    if sheet.action == "convert":
        referee.expect("G1", sum(following.pool) == sum(sheet.pool), "{} became {} by an exchange one for one", sheet.pool, following.pool)
        return
    may = _may(referee, sheet, notes)
    for name, now, expected in zip(POOL, following.pool, wanted, strict=True):
        referee.expect("T3", now == expected or (now > expected and name in may), "{} {} in the pool where {} should be", now, name, expected)


def health_arithmetic(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """K1, G4, G5, A3: Health changes by what was chosen, and else only where an ability may change it."""
    if not sheet.turn or sheet.action == "attack":
        return
    mine, theirs, may = sheet.me.health, sheet.rival.health, _may(referee, sheet, notes)
    most = referee.facts.of(sheet.row[f"{SEATS[sheet.active]}_overlord"]).health or 0
    rule = "G4"
    if sheet.action == "heal" or sheet.action == "pass":
        rule, mine = "G5", min(most, mine + (sheet.pay[2] if sheet.action == "heal" else sheet.pool[2]))
    elif sheet.question == "curse" and sheet.action == "health":
        rule, theirs = "K1", max(0, theirs - referee.facts.rules.curse_health)
    mine = max(0, mine - sheet.row["pay_health"])
    now_mine, now_theirs = following.sides[sheet.active].health, following.sides[1 - sheet.active].health
    cut = following.row["limits"] > sheet.row["limits"]  # what Regeneration was left is spent by itself
    fits = now_mine == mine or (now_mine > mine and ("heal" in may or cut)) or (now_mine < mine and "lose" in may)
    referee.expect(rule, fits, "{} has {} Health where {} should be", PLAYERS[sheet.active], now_mine, mine)
    fits = now_theirs == theirs or (now_theirs < theirs and "hurt" in may)
    referee.expect(rule, fits, "{} has {} Health where {} should be", PLAYERS[1 - sheet.active], now_theirs, theirs)


def hordes_change(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """H2, H7: hordes grow by Horde Actions only, and close up when a member leaves play."""
    if sheet.turn and not _ends(sheet, following):
        wanted = chains_after(sheet, after(referee.facts, sheet, notes))
        now = sorted(following.sides[sheet.active].chains)
        referee.expect("H7", now == wanted, "the hordes are {}, and should be {}", now, wanted)


def tokens_turn(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """N2, N3: a new token lies HAUNT side up; one is turned to Dismiss when its monster joins a horde, and never back."""
    if not sheet.turn or _ends(sheet, following):
        return
    joined = {sheet.chosen, sheet.other if sheet.action == "horde" else None} if sheet.action in HORDES else set()
    before, now = sheet.me.marks, following.sides[sheet.active].marks
    for card in before.keys() & now.keys():
        was, is_ = before[card] & TOKEN, now[card] & TOKEN
        if was == Mark.HAUNT_SIDE and card in joined:
            referee.expect("N3", is_ == Mark.DISMISS_SIDE, "{} joined a horde, and its token was not turned", card)
        else:
            referee.expect("N2", is_ == was or (not was and is_ == Mark.HAUNT_SIDE), "the token of {} was turned, or taken away", card)


def muster_tokens(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """K6, X3: MUSTER tokens are taken in one's own turn, and go back with the Draw Phase."""
    if not sheet.turn:
        return
    mine, theirs = following.sides[sheet.active].muster, following.sides[1 - sheet.active].muster
    referee.expect("K6", theirs == sheet.rival.muster, "the tokens of the player whose turn it is not have changed")
    if _ends(sheet, following):
        referee.expect("X3", mine == 0, "{} MUSTER tokens were kept after the Draw Phase", mine)
    else:
        may = "muster" in _may(referee, sheet, notes)
        referee.expect("K6", mine == sheet.me.muster or (mine > sheet.me.muster and may), "{} MUSTER tokens after {}", mine, sheet.me.muster)


def cleanup(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """X2: relics stay, and monsters with a token HAUNT side up, which is turned to Dismiss; all else goes."""
    if sheet.action != "pass":
        return
    facts, side = referee.facts, following.sides[sheet.active]
    stay = {card for card in sheet.me.play if facts.is_relic(card) or sheet.me.marks[card] & Mark.HAUNT_SIDE}
    referee.expect("X2", set(side.play) == stay, "{} stayed or went, and should not have", sorted(set(side.play) ^ stay))
    for card in side.play:
        token = 0 if facts.is_relic(card) else Mark.DISMISS_SIDE
        referee.expect("X2", side.marks[card] & TOKEN == token, "the token of {} is not on its Dismiss side", card)


def new_hand(referee: Referee, sheet: DecisionRow, following: DecisionRow, notes: TurnNotes) -> None:
    """X1, X3, X4: a card that was kept goes on the deck; then a hand is drawn from the top, with one more card for each MUSTER token."""
    if sheet.action != "pass":
        return
    before, now = sheet.me, following.sides[sheet.active]
    cleaned = [card for card in before.play if card not in now.play]
    deck, n = before.deck + before.hand, referee.facts.rules.hand_size + before.muster
    there = len(deck) + len(before.discard) + len(cleaned)
    referee.expect("X3", len(now.hand) == min(n, there), "{} cards were drawn instead of {}", len(now.hand), min(n, there))
    if n <= len(deck):
        right = set(now.hand) == set(deck[len(deck) - n :]) and now.deck == deck[: len(deck) - n]
    else:
        right = set(deck) <= set(now.hand) and not (now.discard and set(now.hand) != set(deck))
    referee.expect("X4", right, "the new hand was not drawn from the top of the deck")


def overlord_action(referee: Referee, sheet: DecisionRow, notes: TurnNotes) -> None:
    """O1: the Overlord Action as often in a turn as the card says, or once where the rules say so."""
    if sheet.action == "overlord":
        most = 1 if referee.facts.rules.overlord_limit == "once" else referee.facts.of(sheet.row[f"{SEATS[sheet.active]}_overlord"]).limit
        referee.expect("O1", not most or notes.overlord < most, "the overlord was used {} times in a turn", notes.overlord + 1)


ALONE = (
    cards_in_one_place, offered_and_forced, who_is_asked, curse_answers, health_in_bounds, pool_not_negative, price, destination, chosen_lies_there,
    command_target, looked_at, health_cost, relic_limit, hordes_of_two, horde_action, horde_ability, relic_once, haunt_action, overlord_action, one_token,
    limits, pass_with_one_card,
)  # fmt: skip
BETWEEN = (
    turn_order, cards_move, deck_order, relic_question, attack, pool_arithmetic, health_arithmetic, hordes_change, tokens_turn, muster_tokens, cleanup,
    new_hand,
)  # fmt: skip
AT_THE_END = (setup, game_end)
