"""Priority lists: what a TOML file says is what is played. Mistakes are in test_list_mistakes.py, the contract of those that ship in test_strategies.py."""

from operator import add, and_, eq, ge, gt, le, lt, ne, or_, sub
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrors.simulator.play.box import make_box
from terrors.simulator.story.position import lay_table
from terrors.simulator.terms.enums import CardType
from terrors.strategies import find
from terrors.strategies.checks.contract import check_strategy
from terrors.strategies.formats.lists.conditions import WORDS, parse
from terrors.strategies.formats.lists.playing import Quantity
from terrors.strategies.formats.registry import SORTS
from tests.support.watching import all_pairs, cards_in, owned_by, play_each

PLAN = 'plan = "Plays as this test wants it."\n'
ANYTHING = "[[buy]]\n"


@pytest.fixture(scope="module")
def box(frozen_cards):
    return make_box(frozen_cards)


def listed(folder: Path, text: str, name: str = "mine"):
    """A list strategy with that text."""
    file = folder / f"{name}.toml"
    file.write_text(PLAN + text, encoding="utf-8")
    return find(str(file))


def answer(plan, box, *steps: str, **table) -> str:
    """What a strategy answers on a table, after some steps, in the notation of scenarios; the one who is asked must have a choice."""
    table.setdefault("you", {})
    table["you"] = {"overlord": "Fenris"} | table["you"]
    table["opponent"] = {"overlord": "Azazael"} | table.get("opponent", {})
    game, _ = lay_table(box, table)
    for step in steps:
        game.apply(step)
    assert game.options.n > 1
    index = plan.compiled(game.record, box.record, game.options, plan.work(box), int(game.record.asked))
    return game.legal_actions()[index]


def bought(plan, box, coin: int, street: list[str], **table) -> str:
    you = {"pool": {"coin": coin}} | table.pop("you", {})
    return answer(plan, box, you=you, table={"street": street, "acolytes": table.pop("acolytes", 0)}, **table)


# Strategies among the others


def test_a_list_is_a_strategy_like_any_other(tmp_path, box):
    plan = listed(tmp_path, ANYTHING, name="wolves")
    assert (plan.name, plan.words, plan.summary) == ("wolves", "Plays as this test wants it.", "Plays as this test wants it.")
    assert plan.path == tmp_path / "wolves.toml"
    assert repr(plan) == "<strategy wolves: Plays as this test wants it.>"
    assert check_strategy(plan, box, games=2).problems == []


def test_the_hash_is_of_the_text_and_nothing_is_compiled_for_it(tmp_path):
    one, other = listed(tmp_path, ANYTHING, name="one"), listed(tmp_path, ANYTHING + "min_cost = 2\n", name="other")
    assert one.compiled is other.compiled
    assert one.sha256 != other.sha256
    assert listed(tmp_path, ANYTHING, name="twin").sha256 == one.sha256


def test_an_edited_file_is_read_again(tmp_path, box):
    street = ["Ghoul", "Werewolf"]
    assert bought(listed(tmp_path, '[[buy]]\ncard = "Ghoul"\n'), box, 9, street) == "buy Ghoul"
    assert bought(listed(tmp_path, '[[buy]]\ncard = "Werewolf"\n'), box, 9, street) == "buy Werewolf"


def test_python_and_toml_do_not_clash():
    from terrors.strategies.formats.registry import PLANS

    stems = [path.stem for sort in SORTS for path in PLANS.glob(f"*{sort}")]
    assert len(stems) == len(set(stems))


def test_lists_that_ship_name_no_card(box):
    """So that they play with any set."""
    from terrors.strategies.formats.registry import PLANS

    lists = [path.read_text(encoding="utf-8") for path in PLANS.glob("*.toml")]
    assert lists
    assert not [name for name in box.names for text in lists if f'"{name}"' in text]


# Buying


def test_the_first_rule_that_fits_buys(tmp_path, box):
    plan = listed(tmp_path, '[[buy]]\ncard = "Werewolf"\n[[buy]]\ncard = ["Ghoul", "poltergeist"]\n')
    assert bought(plan, box, 4, ["Poltergeist", "Werewolf"]) == "buy Werewolf"
    assert bought(plan, box, 3, ["Poltergeist", "Werewolf"]) == "buy Poltergeist"  # too dear
    you = {"overlord": "Methuselah", "pool": {"coin": 9, "power": 1}}
    assert bought(plan, box, 9, ["Banshee", "Skeletal"], you=you) == "attack"  # no rule fits


@pytest.mark.parametrize(
    ("rule", "buys"),
    [
        ('faction = "Spirit"', "Banshee"),
        ('faction = ["Spirit", "own"]\nmax_cost = 3', "Menagerie Ape"),  # Fenris: Beast
        ('faction = "own"', "Menagerie Ape"),
        ('type = "Relic"', "Silver Mirror"),
        ('type = "Monster"\nhas = "armor"', "Bloomsbury Mummy"),
        ('has = ["DESTROY", "DRAW"]', "Menagerie Ape"),
        ('has = "CURSE"', "Banshee"),
        ("max_cost = 1", "Skeletal"),
        ("min_cost = 3\nmax_cost = 3", "Menagerie Ape"),
        ('has = "2 Power"', "Menagerie Ape"),
        ('has = "power 2"', "Menagerie Ape"),
        ('overlord = "Azazael"\n[[buy]]\ncard = "Skeletal"', "Skeletal"),
        ('overlord = ["Azazael", "Fenris"]\ncard = "Banshee"', "Banshee"),
        ('against = "Lilith"\n[[buy]]\ncard = "Skeletal"', "Skeletal"),
        ('against = "azazael"\ncard = "Banshee"', "Banshee"),
        ('pick = "dearest"', "Bloomsbury Mummy"),
        ('pick = "cheapest"', "Skeletal"),
    ],
)
def test_what_a_rule_may_ask_of_a_card(tmp_path, box, rule, buys):
    street = ["Skeletal", "Banshee", "Menagerie Ape", "Silver Mirror", "Bloomsbury Mummy"]
    if buys == "Bloomsbury Mummy" and "dearest" in rule:
        street = ["Skeletal", "Menagerie Ape", "Bloomsbury Mummy"]
    assert bought(listed(tmp_path, f"[[buy]]\n{rule}\n"), box, 9, street) == f"buy {buys}"


def test_on_top_of_the_deck_where_that_is_possible(tmp_path, box):
    assert bought(listed(tmp_path, ANYTHING), box, 9, ["Churchyard Grim"]) == "buy Churchyard Grim to deck"


@pytest.mark.parametrize("place", ["deck", "discard", "play"])
def test_until_counts_what_is_owned_wherever_it_is(tmp_path, box, place):
    plan = listed(tmp_path, '[[buy]]\nfaction = "Undead"\nuntil = 2\n[[buy]]\ncard = "Skeletal"\n')
    for owned, buys in ((["Ghoul"], "Ghoul"), (["Ghoul", "Sexton"], "Skeletal")):
        you = {"pool": {"coin": 5}, place: owned}
        assert bought(plan, box, 5, ["Ghoul", "Skeletal"], you=you) == f"buy {buys}"


def test_until_counts_what_is_in_hand(tmp_path, box):
    plan = listed(tmp_path, '[[buy]]\ncard = "Ghoul"\nuntil = 1\n[[buy]]\ncard = "Skeletal"\n[play]\nkeep = ["Ghoul", "Fanatic"]\n')
    for kept, buys in (("Fanatic", "Ghoul"), ("Ghoul", "Skeletal")):
        assert bought(plan, box, 5, ["Ghoul", "Skeletal"], you={"pool": {"coin": 5}, "hand": [kept]}) == f"buy {buys}"


def test_until_does_not_count_the_starting_deck(tmp_path, box):
    plan = listed(tmp_path, '[[buy]]\ntype = "Monster"\nuntil = 1\n')
    assert bought(plan, box, 5, ["Ghoul", "Skeletal"], you={"pool": {"coin": 5}, "deck": ["Cultist"] * 5}) in ("buy Ghoul", "buy Skeletal")


def test_until_holds_for_whole_games(tmp_path, frozen_box):
    box = frozen_box
    plan = listed(tmp_path, '[[buy]]\ncard = "Ghoul"\nuntil = 1\n[[buy]]\ntype = "Relic"\nuntil = 2\n[[buy]]\nhas = "Power"\ntype = "Monster"\n')
    wanted = {"Ghoul": 0, "Relic": 0}
    for game in play_each(box, all_pairs(box, 3, seed=9), plan, find("random")):
        mine = game.player[0]
        cards = [box.cards.cards[box.record.kind_of[i]] for i in owned_by(mine)]
        removed = {box.record.kind_of[i] for i in cards_in(mine["removed"])}
        counts = {"Ghoul": sum(card.name == "Ghoul" for card in cards), "Relic": sum(card.type is CardType.RELIC for card in cards)}
        if not removed:  # what has left the game is not owned any more
            assert counts["Relic"] <= 2
        wanted = {name: wanted[name] + n for name, n in counts.items()}
    assert min(wanted.values()) > 0


def test_acolytes(tmp_path, box):
    plan = listed(tmp_path, '[[buy]]\ntype = "Acolyte"\nuntil = 2\n[[buy]]\n')
    assert bought(plan, box, 2, ["Skeletal"], acolytes=3) == "buy acolyte"
    assert bought(plan, box, 2, ["Skeletal"], acolytes=3, you={"pool": {"coin": 2}, "discard": ["Sexton"]}) == "buy acolyte"
    assert bought(plan, box, 2, ["Skeletal"], acolytes=3, you={"pool": {"coin": 2}, "discard": ["Sexton", "Rat-Catcher"]}) == "buy Skeletal"
    assert bought(listed(tmp_path, ANYTHING), box, 2, ["Skeletal"], acolytes=3) == "buy Skeletal"  # a rule is for Acolytes only if it says so


def test_a_purchase_by_an_ability_follows_the_list(tmp_path, box):
    """Fenris buys a monster of cost 3 or less with Coin or Power."""
    table = {"you": {"pool": {"coin": 3}}, "table": {"street": ["Ghoul", "Skeletal", "Cock Lane Ghost"]}}
    assert answer(listed(tmp_path, '[[buy]]\ncard = "Skeletal"\n'), box, "overlord", **table) == "choose Skeletal"
    assert answer(listed(tmp_path, '[[buy]]\ncard = "Werewolf"\n'), box, "overlord", **table) == "choose none"


# Playing


def test_what_comes_first_and_last(tmp_path, box):
    hand = {"you": {"hand": ["Cultist", "Fanatic", "Werewolf", "Thames Drowner"], "deck": ["Cultist"] * 5}}
    assert answer(listed(tmp_path, ANYTHING), box, **hand) == "play Thames Drowner"  # what draws
    assert answer(listed(tmp_path, f'{ANYTHING}[play]\nfirst = ["Fanatic", "Beast"]\n'), box, **hand) == "play Fanatic"
    assert answer(listed(tmp_path, f'{ANYTHING}[play]\nfirst = ["beast", "Fanatic"]\n'), box, **hand) == "play Werewolf"
    last = listed(tmp_path, f'{ANYTHING}[play]\nlast = ["DRAW", "Beast", "Fanatic"]\n')
    assert answer(last, box, **hand) == "play Cultist"
    assert answer(last, box, you={"hand": ["Fanatic", "Werewolf", "Thames Drowner"], "deck": ["Cultist"] * 5}) == "play Thames Drowner"
    assert answer(last, box, you={"hand": ["Fanatic", "Werewolf"]}) == "play Werewolf"


def test_a_card_that_is_kept_stays_in_hand(tmp_path, box):
    plan = listed(tmp_path, f'{ANYTHING}[play]\nkeep = "Fanatic"\n')
    assert answer(plan, box, you={"hand": ["Fanatic", "Cultist"]}) == "play Cultist"
    assert answer(plan, box, you={"hand": ["Fanatic"]}) == "pass"
    assert answer(plan, box, you={"hand": ["Fanatic", "Fanatic"], "pool": {"power": 1}}) == "play Fanatic"
    assert answer(plan, box, you={"overlord": "Lilith", "hand": ["Fanatic"], "pool": {"power": 1}}, table={"street": ["Ghoul"]}) == "overlord"
    assert answer(plan, box, "overlord", you={"overlord": "Lilith", "hand": ["Fanatic"], "pool": {"power": 1}}, table={"street": ["Ghoul"]}) == "attack"
    assert answer(plan, box, you={"hand": ["Cultist"]}) == "play Cultist"


@pytest.mark.parametrize(
    ("words", "hand", "health", "says"),
    [
        ('curse = "health"', ["Cultist", "Werewolf"], 20, "choose health"),
        ('curse = "health"', ["Cultist", "Werewolf"], 2, "choose discard Cultist"),  # nobody dies of it
        ('curse = "discard"', ["Werewolf", "Banshee"], 20, "choose discard Werewolf"),
        ('curse = "discard junk"', ["Cultist", "Werewolf"], 20, "choose discard Cultist"),
        ('curse = "discard junk"', ["Banshee", "Werewolf"], 20, "choose health"),
        ('curse = "discard"\njunk = ["Banshee", "Cultist"]', ["Werewolf", "Cultist", "Banshee"], 20, "choose discard Banshee"),
    ],
)
def test_answers_to_a_curse(tmp_path, box, words, hand, health, says):
    table = {"you": {"overlord": "Lilith", "hand": ["Cock Lane Ghost"]}, "opponent": {"hand": hand, "health": health}}
    said = answer(listed(tmp_path, f"{ANYTHING}[play]\n{words}\n"), box, "play Cock Lane Ghost", **table)
    assert said == says or (says == "choose discard Werewolf" and said.startswith("choose discard"))


def test_building_prefers_coin(tmp_path, box):
    table = {"you": {"hand": ["Black Swine of Hampstead"]}}  # RAGE
    assert answer(listed(tmp_path, f'{ANYTHING}[play]\nbuild = "turn >= 1"\n'), box, "play Black Swine of Hampstead", **table) == "choose 2 Coin"
    assert answer(listed(tmp_path, f'{ANYTHING}[play]\nbuild = "turn > 99"\n'), box, "play Black Swine of Hampstead", **table) == "choose 2 Power"


def test_the_overlord_waits_for_its_condition(tmp_path, box):
    """Azazael: pay 2 Coin: CURSE."""
    table = {"you": {"overlord": "Azazael", "pool": {"coin": 2}}, "opponent": {"overlord": "Fenris"}}
    buys_nothing = '[[buy]]\ncard = "Ghoul"\n'
    assert answer(listed(tmp_path, buys_nothing), box, **table) == "overlord"
    assert answer(listed(tmp_path, buys_nothing + '[play]\noverlord = "rival health < 20"\n'), box, **table) == "pass"


def test_influence_cards_are_taken_in_the_order_of_the_list(tmp_path, box):
    from terrors.simulator.play.game import Game

    plan = listed(tmp_path, f'{ANYTHING}[play]\ninfluences = ["Long Vigil", "scent of fear", "Blood Moon"]\n')
    game = Game(box, "Fenris", "Azazael", seed=3)
    taken = []
    while game.turn == 0:
        index = plan.compiled(game.record, box.record, game.options, plan.work(box), int(game.record.asked))
        taken.append(game.legal_actions()[index])
        game.apply_index(index)
    assert taken[:3] == ["choose Scent of Fear", "choose Blood Moon", "choose Long Vigil"]


def test_the_rules_that_bought_are_counted(tmp_path, box):
    from terrors.simulator.play.match import pairs_of_games, play_rows
    from terrors.strategies.checks.usage import Watched

    plan = listed(tmp_path, '[[buy]]\nmin_cost = 3\n[[buy]]\nmin_cost = 900\n[[buy]]\nwhen = "turn > 1 and turn < 1"\n')
    watched = Watched(plan, box)
    play_rows(box, pairs_of_games(box, [(box.kind("Fenris"), box.kind("Lilith"))], 3, seed=4), watched, find("random"))
    fired = plan.fired(watched.area)
    assert fired[0] > 10
    assert fired[1:] == [0, 0]
    assert watched.never_bought


# Conditions


def told(game, seat: int) -> dict[str, int]:
    """What the words of conditions mean, from the record, without the compiled code."""
    found = {"turn": game.turn, "my turn": (game.turn + 1) // 2 if seat == 0 else game.turn // 2, "seat": seat + 1}
    found |= {"market": game.record.market.n, "acolytes": game.record.acolytes.n}
    for prefix, who in (("", seat), ("rival ", 1 - seat)):
        p = game.record.player[who]
        piles = {"hand": p.hand.n, "deck": p.deck.n, "discard": p.discard.n}
        in_play = sum(1 for s in range(p.slots) if p.play[s].card >= 0)
        values = {"health": p.health, "armor": p.armor, "relics": p.relics, "cards": sum(piles.values()) + in_play, **piles}
        if not prefix:
            values |= {"coin": p.coin, "power": p.power, "regeneration": p.regeneration}
        found |= {prefix + word: value for word, value in values.items()}
    return {word: int(value) for word, value in found.items()}


TABLE = {
    "you": {
        "overlord": "Fenris", "health": 31, "pool": {"coin": 2, "power": 4, "regeneration": 1},
        "deck": ["Cultist"] * 3 + ["Werewolf"], "discard": ["Ghoul", "Fanatic"], "relics": ["Silver Mirror"], "play": ["Grey Lady"],
    },
    "opponent": {
        "overlord": "Lilith", "health": 12, "hand": ["Cultist"] * 5, "deck": ["Fanatic"] * 7, "discard": ["Ghoul"] * 2,
        "relics": ["Templar Mail", "Silver Mirror"],
    },
    "table": {"street": ["Skeletal"], "market": ["Ghoul"] * 6, "acolytes": 0},
}  # fmt: skip
OWNED = {"Cultist": 3, '"Grey Lady"': 1, "Beast": 1, "own": 1, "Spirit": 1, "relic": 1, "starting": 4, "acolyte": 0, "Monster": 7, "CURSE": 0}
COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "!=": ne}


@pytest.fixture(scope="module", params=["first", "second"])
def table(box, request):
    game, seat = lay_table(box, TABLE | {"you": TABLE["you"] | {"seat": request.param}})
    game.apply("relic Silver Mirror")  # else it would be used before anything is bought
    game.apply("choose none")
    return game, seat


def test_every_word_has_a_meaning(table):
    game, seat = table
    assert set(told(game, seat)) == set(WORDS)
    assert len(WORDS) == len(Quantity)


def condition_holds(folder: Path, box, game, seat: int, text: str) -> bool:
    """Whether a list that buys on a condition buys."""
    plan = listed(folder, f"[[buy]]\nwhen = '''{text}'''\n")
    area = plan.work(box)
    options = game.options
    index = int(plan.compiled(game.record, box.record, options, area, seat))
    buys = game.legal_actions()[index] == "buy Skeletal"
    assert buys == (plan.fired(area) == [1])
    return buys


@st.composite
def sums(draw):
    """A sum as text, and as a function of the words."""
    first, *others = draw(st.lists(st.sampled_from(sorted(WORDS) + [f"owned {name}" for name in OWNED]) | st.integers(0, 40), min_size=1, max_size=3))
    text, terms = str(first), [(add, first)]
    for other in others:
        sign = draw(st.sampled_from("+-"))
        text += f" {sign} {other}"
        terms.append((add if sign == "+" else sub, other))

    def value(words):
        total = 0
        for operation, term in terms:
            total = operation(total, term if isinstance(term, int) else words[term])
        return total

    return text, value


@st.composite
def comparisons(draw):
    (left, left_value), (right, right_value) = draw(sums()), draw(sums())
    sign = draw(st.sampled_from(sorted(COMPARE)))
    return f"{left} {sign} {right}", lambda words: COMPARE[sign](left_value(words), right_value(words))


def joined(inner):
    def both(parts):
        (left, left_holds), word, (right, right_holds) = parts
        operation = and_ if word == "and" else or_
        return f"({left}) {word} ({right})", lambda words: operation(left_holds(words), right_holds(words))

    def opposite(part):
        text, holds = part
        return f"not ({text})", lambda words: not holds(words)

    return st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(both) | inner.map(opposite)


@settings(max_examples=30, deadline=None)
@given(st.recursive(comparisons(), joined, max_leaves=4))
def test_conditions_mean_what_they_say(tmp_path_factory, box, table, condition):
    game, seat = table
    text, holds = condition
    words = told(game, seat) | {f"owned {name}": n for name, n in OWNED.items()}
    assert condition_holds(tmp_path_factory.getbasetemp(), box, game, seat, text) == holds(words), text


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("coin = 2", True),
        ("coin == 2 AND Rival Health ≤ 12", True),
        ("1 < coin <= 2", True),
        ("1 < coin < 2", False),
        ("coin = 9 and coin = 9 or coin = 2", True),  # `and` binds closer
        ("coin = 2 or coin = 9 and coin = 9", True),
        ("(coin = 2 or coin = 9) and coin = 9", False),
        ("not coin = 9 and coin = 2", True),  # `not` binds closest
        ("not (coin = 9 and coin = 2)", True),
        ("health - 10 - 1 = 20", True),  # from the left
        ("health - (10 - 1) = 22", True),
        ("rival health + 19 = health", True),
        ("owned 'Grey Lady' = 1", True),
        ("owned grey lady = 1", True),
        ("rival_health = 12", True),
        ("health-10=21", True),
        ("owned own >= 1", True),  # Fenris has a Werewolf
        ("not not coin = 2", True),
    ],
)
def test_how_conditions_are_read(tmp_path, box, table, text, holds):
    game, seat = table
    plan_text = text.replace("'Grey Lady'", '"Grey Lady"')
    assert condition_holds(tmp_path, box, game, seat, plan_text) is holds


def test_steps_of_a_condition():
    assert [step.name for step, _ in parse("turn >= 6 and not coin < 4")] == ["LOOK", "NUMBER", "AT_LEAST", "LOOK", "NUMBER", "LESS", "NOT", "AND"]
