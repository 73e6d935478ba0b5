"""Hard cases of the naive implementation by itself, each with the rule that it is about, on a small set."""

import csv
import io
from collections import Counter

from tests.naive import NaiveGame
from tests.naive.cards import parse, read
from tests.naive.table import Card, Phase

CARDS = """\
name,pile,type,faction,overlord,cost,copies,health,abilities,triggers,left,right,horde
Vlad,overlord,Overlord,Undead,,,1,20,discard a card: DRAW 1 and 1 Power,first CURSE: 1 Coin; each CURSE: 1 Regeneration,,,
Wolf,overlord,Overlord,Beast,,,1,22,buy a monster costing 3 or less with Coin or Power or Regeneration,each horde formed: DRAW 1,,,
Eve,overlord,Overlord,Mortal,,,1,22,next monster bought gains CLAIM; 1 Coin,first monster bought: MUSTER,,,
Ghost,overlord,Overlord,Spirit,,,1,25,opponent loses 1 Health,each overlord used: gain 1 Health,,,
Cultist,starting,Monster,,,,10,,1 Coin,,,,
Fanatic,starting,Monster,,,,6,,1 Power,,,,
Candle,starting,Relic,,,,3,,1 Coin,,,,
Blood Pact,influence,Influence,,Vlad,,1,,1 Power; DRAW 1,first card discarded: 2 Power,,,
Crypt,influence,Influence,,Vlad,,1,,1 Coin; faction in play: 2 Power and 1 Coin,,,,
Plague,influence,Influence,,Vlad,,1,,CURSE,each CURSE: gain 2 Health,,,
Tomb,influence,Influence,,Vlad,,1,,COMMAND,each COMMAND: 1 Coin,,,
Howl,influence,Influence,,Wolf,,1,,RAGE,each Beast played: 1 Power,,,
Den,influence,Influence,,Wolf,,1,,2 Regeneration,faction in play: DRAW 1,,,
Moon,influence,Influence,,Wolf,,1,,1 Power,first horde expanded: HAUNT another monster,,,
Fang,influence,Influence,,Wolf,,1,,DESTROY,each DESTROY: 1 Power,,,
Gold,influence,Influence,,Eve,,1,,2 Coin,each card bought: 1 Power,,,
Guild,influence,Influence,,Eve,,1,,MUSTER,first relic bought: DRAW 1,,,
Charm,influence,Influence,,Eve,,1,,1 Coin; next monster bought gains CLAIM,each Mortal played: 1 Coin,,,
Court,influence,Influence,,Eve,,1,,1 Coin,each Influence played: 1 Power,,,
Mist,influence,Influence,,Ghost,,1,,HAUNT another monster,each HAUNT action: 1 Power,,,
Chill,influence,Influence,,Ghost,,1,,opponent discards 1,each Spirit played: opponent loses 1 Health,,,
Veil,influence,Influence,,Ghost,,1,,3 Regeneration,first SACRIFICE: DRAW 1,,,
Wail,influence,Influence,,Ghost,,1,,CURSE,first reshuffle: MUSTER,,,
Acolyte,acolyte,Monster,,,2,5,,2 Coin,,,,
Nun,acolyte,Monster,,,2,2,,1 Coin; 1 Regeneration,,,,
Ghoul,market,Monster,Undead,,2,3,,1 Power; CURSE,,Spirit,Beast,1 Power | DRAW 1 and 1 Coin
Skeletal,market,Monster,Undead,,3,3,,"look at 2: discard any; SACRIFICE from hand or discard; 1 Coin",each CURSE: SACRIFICE from discard,Spirit,Beast,1 Power
Lich,market,Monster,Undead,,5,2,,3 Power; CLAIM; DRAW 2,each Undead played: choose 1 Coin or 1 Power or SACRIFICE from hand or discard,Spirit,Beast,pay 1 Coin: CURSE
Werewolf,market,Monster,Beast,,4,3,,2 Power; 1 Power per Beast in play,each monster played: lose 1 Health,Undead,Mortal,1 Power per monster in this horde
Rat,market,Monster,Beast,,1,3,,"1 Armor; reveal 2: if Beast, take it; discard 1",each card discarded: DRAW 1,Undead,Mortal,HAUNT
Bear,market,Monster,Beast,,3,2,,HAUNT; if Health 10 or less: 3 Regeneration,first HAUNT action: DESTROY,Undead,Mortal,2 Regeneration
Witch,market,Monster,Mortal,,3,3,,convert Power to Coin; choose 2 Coin or 2 Power and lose 1 Health,each relic used: convert Coin to Power,Beast,Spirit,SACRIFICE
Thief,market,Monster,Mortal,,2,3,,opponent discards 1; if opponent has a relic: DESTROY,each card bought: 1 Coin,Beast,Spirit,activate a Horde ability
Smith,market,Monster,Mortal,,2,2,,"1 Coin per relic; reveal 1: if relic, take it",each relic played: 1 Power; first relic used: 1 Coin,Beast,Spirit,take a Street monster costing 3 or less
Shade,market,Monster,Spirit,,3,3,,HAUNT; pay 1 Health: DRAW 1 and 1 Power,first Spirit played: CURSE,Mortal,Undead,HAUNT another monster
Poltergeist,market,Monster,Spirit,,4,3,,SACRIFICE this: 3 Power; COMMAND; MUSTER,first Mortal played: SACRIFICE; each SACRIFICE: 1 Coin,Mortal,Undead,1 Power | RAGE
Banshee,market,Monster,Spirit,,4,2,,opponent loses 2 Health; shuffle discard into deck,each reshuffle: 1 Regeneration,Mortal,Undead,COMMAND
Wraith,market,Monster,Spirit,,,1,,activate a Horde ability; if Undead in play: 2 Power,,Mortal,Undead,1 Coin
Mirror,market,Relic,,,2,2,,1 Armor; 1 Coin,each relic bought: 1 Power,,,
Altar,market,Relic,,,3,2,,SACRIFICE from hand; 1 Power per card in hand,each SACRIFICE: gain 1 Health,,,
Idol,market,Relic,Beast,,3,2,,discard 2 cards: take a Street monster costing 4 or less,each horde formed: 1 Coin; each horde expanded: 1 Coin,,,
Shield,market,Relic,,,1,2,,2 Armor,first DESTROY: 1 Coin; each COMMAND: 1 Coin,,,
Lens,market,Relic,,,2,2,,"reveal 2: if monster, take it; pay 2 Coin: CURSE; look at 3: discard any",each overlord used: DRAW 1,,,
"""  # noqa: E501


def scene(
    extra="", rules=None, hand=(), play=(), relics=(), deck=(), discard=(), foe_hand=(), foe_play=(), street=(), market=(), pool=None, me="Ghost", foe="Eve"
) -> NaiveGame:
    """Make a game in its first Action Phase, with exactly these cards on the table."""
    game = NaiveGame(CARDS + extra, {"influences": 0} | (rules or {}), 7, me, foe)
    rows, count = {row.name: row for row in game.rows}, Counter()

    def pile(names):
        count.update(names := list(names))
        cards = [Card(rows[n], 100 + count[n] * 10 + i) for i, n in enumerate(names)]
        return cards

    a, b = game.players
    a.hand, a.deck, a.discard, a.play = map(pile, (hand, deck, discard, list(play) + list(relics)))
    b.hand, b.deck, b.discard, b.play = map(pile, (foe_hand, (), (), foe_play))
    game.street, game.market = pile(street), pile(market)
    a.pool |= pool or {}
    game.phase = Phase(a)
    for card in a.play + b.play:
        card.live = True
    return refresh(game)


def refresh(game):
    game.runner.question.options = game.actions()
    return game


def run(game, *lines):
    for line in lines:
        game.apply(line)
    return game.state()["players"][0]


def row(name, abilities, triggers="", faction="", left="", right="", horde="", kind="Monster", cost="3"):
    return f'{name},market,{kind},{faction},,{cost},1,,"{abilities}","{triggers}",{left},{right},"{horde}"\n'


def by_hand() -> None:
    """Hard cases, each with the rule that it is about."""
    # P4, P5: a card triggers on what its own keywords do, before its next ability; own play is missed, also as `first`
    x = row("X", "CURSE; DRAW 1", "each CURSE: discard 1; first Beast played: 5 Coin", "Beast")
    g = scene(x, hand=["X", "Rat"], deck=["Fanatic", "Fanatic"], foe_hand=[])
    p = run(g, "play X")
    assert g.players[1].health == 20
    assert p["discard"][0].startswith("Rat")
    assert len(p["hand"]) == 1
    assert p["coin"] == 0
    for mode, coin in (("turn", 0), ("since_in_play", 5)):
        g = scene(x + row("Pup", "1 Power", faction="Beast"), {"first_time": mode}, hand=["X", "Pup", "Pup"], deck=["Fanatic"])
        assert run(g, "play X", "play Pup")["coin"] == coin
    # P4: order of triggers, second trigger of a card, two copies; the group is asked again
    g = scene(hand=["Plague"], play=["Skeletal", "Skeletal"], discard=["Cultist", "Fanatic"], me="Vlad", foe="Ghost")
    g.apply("play Plague")
    assert sorted(g.options()) == ["choose Plague", "choose Skeletal", "choose Skeletal #2", "choose overlord", "choose overlord 2"]
    run(g, "choose overlord", "choose Skeletal #2")
    assert sorted(g.options()) == ["choose discard Cultist", "choose discard Fanatic"]
    run(g, "choose discard Fanatic")
    assert sorted(g.options()) == ["choose Plague", "choose Skeletal", "choose overlord 2"]
    # two copies alone: nothing asked
    g = scene(hand=["Cultist"], play=["Werewolf", "Werewolf"])
    assert run(g, "play Cultist")["health"] == 23
    assert "pass" in g.options()
    # A2: Armor per turn
    g = scene(foe_play=["Shield", "Rat"], pool={"Power": 7})
    run(g, "attack 2", "attack 2")
    assert g.players[1].health == 21
    run(g, "attack")
    assert g.players[1].health == 18
    # P8 with two copies, buy; nothing is paid before the choice
    g = scene(relics=["Mirror", "Mirror", "Altar"], street=["Shield"], market=["Rat"], pool={"Coin": 1})
    g.apply("buy Shield")
    assert g.options() == ["choose Mirror", "choose Mirror #2", "choose Altar"]
    assert g.players[0].pool["Coin"] == 1
    p = run(g, "choose Mirror #2")
    assert [c[0].split("#")[0] for c in p["play"]] == ["Mirror", "Altar", "Shield"]
    assert p["power"] == 1
    assert p["coin"] == 0
    # K3: SACRIFICE this: gain and triggers, then what it pays for; COMMAND goes on after the card has left (P2)
    g = scene(hand=["Poltergeist"], relics=["Altar"], discard=["Rat", "Lich"])
    g.players[0].health = 10
    p = run(g, "play Poltergeist", "choose yes")
    assert p["power"] == 4
    assert p["health"] == 11
    assert p["tokens"] == 1
    assert p["hand"]
    assert p["removed"]
    assert p["coin"] == 0
    # Hordes: both sides, H5 after leaving, H7, neighbours, N3
    g = scene(play=["Ghoul", "Rat", "Witch", "Shade", "Shade"])
    g.players[0].play[3].token = "haunt"
    assert sorted(o for o in g.options() if o.startswith("horde")) == [
        "horde Ghoul + Rat",
        "horde Rat + Witch",
        "horde Shade #2 + Ghoul",
        "horde Shade + Ghoul",
        "horde Witch + Shade",
        "horde Witch + Shade #2",
    ]
    g.apply("horde Rat + Witch")
    assert g.options() == ["activate Rat", "activate Witch", "activate none"]
    run(g, "activate Rat", "horde Ghoul + Rat…", "activate Ghoul 2", "horde …Witch + Shade", "activate Witch")
    p = run(g, "choose Rat")
    names = [(c[0].split("#")[0], c[1], c[3].split("#")[0], c[4].split("#")[0], c[2]) for c in p["play"]]
    assert names == [
        ("Ghoul", "", "", "Witch", True),
        ("Witch", "", "Ghoul", "Shade", True),
        ("Shade", "dismiss", "Witch", "", True),
        ("Shade", "", "", "", False),
    ], names
    # purchase by an ability: CLAIM, mix
    g = scene(street=["Ghoul", "Ghoul", "Lich", "Mirror"], pool={"Coin": 1, "Power": 2}, me="Wolf")
    g.phase.claims = 1
    g.apply("overlord")
    assert g.options() == ["choose Ghoul", "choose Ghoul to deck", "choose none"]
    g.apply("choose Ghoul to deck")
    assert sorted(g.options()) == ["choose 1 Coin and 1 Power", "choose 2 Power"]
    p = run(g, "choose 2 Power")
    assert p["deck"]
    assert p["coin"] == 1
    assert g.phase.claims == 0
    assert len(g.street) == 3
    # P6: on only with a faction monster at that moment
    for play, power in (((), 0), (("Ghoul",), 2)):
        assert run(scene(hand=["Crypt"], play=play, me="Vlad"), "play Crypt")["power"] == power
    # E1: an endless combination is cut, however long the chain
    loop = row("Loop", "discard 1", "each card discarded: shuffle discard into deck and DRAW 1 and discard 1")
    for limit in (7, 20000):
        g = scene(loop, {"max_actions": limit}, hand=["Loop", "Cultist"])
        run(g, "play Loop")
        assert g.limits
        assert g.active == 1
    # X2, N1: a haunted monster stays once and may be activated in the next own turn
    g = scene(hand=["Bear"])
    p = run(g, "play Bear", "pass")
    assert p["play"][0][1] == "dismiss"
    while g.active == 1:
        g.apply(next(o for o in g.options() if o.startswith(("play", "pass", "choose"))))
    assert "haunt Bear" in g.options()
    # T4: in the middle of an action
    g = scene(hand=["Chill"], foe_hand=["Rat", "Bear"], foe="Eve")
    g.players[1].health = 1
    g.apply("overlord")
    assert g.over
    assert g.winner == 0
    assert g.state()["players"][1]["health"] == 0
    # G2: look with too small a deck: the discard pile goes under it; not a discard from hand; the rest stays in order
    g = scene(row("Seer", "look at 3: discard any"), hand=["Seer"], play=["Rat", "Banshee"], deck=["Ghoul", "Lich"], discard=["Fanatic"])
    g.apply("play Seer")
    assert g.options() == ["choose Ghoul", "choose Lich", "choose Fanatic", "choose none"]
    assert g.players[0].shuffles == 2
    p = run(g, "choose Lich", "choose none")
    assert [c.split("#")[0] for c in p["deck"]] == ["Ghoul", "Fanatic"]
    assert p["hand"] == []
    assert p["regeneration"] == 1
    # G3: a cost of two cards: declined only at the first, triggers after each card
    g = scene(relics=["Idol"], play=["Rat"], hand=["Cultist", "Fanatic"], deck=["Ghoul", "Lich"], street=["Bear", "Werewolf", "Wraith"])
    g.apply("relic Idol")
    assert g.options() == ["choose Cultist", "choose Fanatic", "choose no"]
    g.apply("choose Cultist")
    assert g.options() == ["choose Fanatic", "choose Ghoul"]
    g.apply("choose Ghoul")
    assert g.options() == ["choose Bear", "choose Werewolf", "choose Wraith"]
    p = run(g, "choose Werewolf")
    assert [c.split("#")[0] for c in p["discard"] + p["hand"]] == ["Cultist", "Ghoul", "Werewolf", "Fanatic", "Lich"]
    # K2, K11: DESTROY of three kinds, and declined
    g = scene(rules={"optional_keywords": True}, hand=["Fang"], foe_play=["Mirror", "Mirror"], street=["Rat", "Rat"], me="Wolf")
    g.apply("play Fang")
    assert g.options() == ["choose Fang", "choose opponent Mirror", "choose opponent Mirror #2", "choose Street Rat", "choose none"]
    g.apply("choose Fang")  # it has left play: its own trigger is gone, and P6 was not met
    assert g.players[0].pool["Power"] == 0
    assert repr(g.players[0].discard[0]).startswith("Fang")
    # K1: the opponent is asked; curse_discard = 2
    g = scene(rules={"curse_discard": 2}, hand=["Ghoul"], foe_hand=["Rat", "Rat", "Bear"])
    g.apply("play Ghoul")
    assert g.asked == 1
    assert g.options() == ["choose health", "choose discard Rat", "choose discard Bear"]
    g.apply("choose discard Rat")
    assert g.options() == ["choose discard Rat", "choose discard Bear"]
    # N2, K8: one token in the reserve
    g = scene(rules={"haunt_tokens": 1}, hand=["Mist", "Bear", "Shade"], play=["Rat", "Rat"])
    g.apply("play Mist")
    assert g.options() == ["choose Rat", "choose Rat #2"]
    p = run(g, "choose Rat #2", "play Bear")
    assert [c[1] for c in p["play"]] == ["", "haunt", "", ""]
    assert g.state()["reserve"] == (0, 10)
    # G1, G5: convert and heal with amounts
    g = scene(hand=["Witch"], pool={"Power": 3, "Regeneration": 4})
    g.players[0].health = 23
    p = run(g, "play Witch", "choose 2 Coin", "convert 2 Power to Coin", "heal 1", "heal")
    assert (p["coin"], p["power"], p["regeneration"], p["health"]) == (4, 1, 2, 25)
    assert "heal" not in g.options()
    for wrong in ("attack 2", "attack 0", "convert 2 Power to Coin", "convert 1 Coin to Power", "heal 1"):
        try:
            g.apply(wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)
    # the language
    assert [t for t, _ in parse("choose take a Street monster costing 3 or less or SACRIFICE from hand OR discard  or 2 coins and draw a card")[0].options] == [
        "take a Street monster costing 3 or less",
        "SACRIFICE from hand OR discard",
        "2 coins and draw a card",
    ]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=";").writerows(reversed(line) for line in csv.reader(CARDS.splitlines()))
    assert read("\ufeff# a comment\n\n" + buffer.getvalue()) == read(CARDS)
