"""Small pages of cards and overlords: names are links, everything else is text."""

from terrors.reports.page.one_by_one import Links, anchor_of, entries
from terrors.reports.page.replays import Gallery
from terrors.simulator.cards.card_set import load_cards
from tests.support.places import FROZEN


def test_names_in_sentences_are_links_and_nothing_else_is_markup():
    links = Links(["Ghoul", "Ghoul King", "A & <b>"])
    assert str(links.text("Ghoul King beats Ghoul, not Ghouls.")) == (
        '<a class="of" href="#card-ghoul-king">Ghoul King</a> beats <a class="of" href="#card-ghoul">Ghoul</a>, not Ghouls.'
    )
    assert str(links.text("A & <b> <script>")) == '<a class="of" href="#card-a-b">A &amp; &lt;b&gt;</a> &lt;script&gt;'
    assert (links.of("Ghoul"), links.of("Nobody")) == ("card-ghoul", "")
    assert str(Links([]).text("<i>")) == "&lt;i&gt;"


class Known:
    """A material that knows its cards and one measured value."""

    cards = load_cards(FROZEN)
    findings = {"findings": [{"id": "f", "subject": {"card": "Ghoul"}, "sentence": "Ghoul is strong."}]}

    def rows(self, name: str) -> list[dict]:
        value = {"card": "Ghoul", "value": 6.0, "low": 5.0, "high": 7.0, "first_turn": 4.2, "best_overlord": "Fenris"}
        return [value] if name == "cards" else []


def test_every_overlord_and_market_card_has_one_with_its_text():
    gallery = Gallery({"cards": [], "lines": [], "games": [{"game": 260}]}, {"f": [{"game": 260, "why": "typical"}, {"game": 7, "why": "closest"}]})
    found = {one["name"]: one for one in entries(Known(), gallery)}
    assert set(found) == {card.name for card in (*Known.cards.overlords, *Known.cards.market)}
    assert len({one["anchor"] for one in found.values()}) == len(found)
    ghoul = found["Ghoul"]
    assert ghoul["anchor"] == anchor_of("Ghoul")
    assert ghoul["sentences"][0] == "Gain 1 Power. SACRIFICE from your discard pile."
    assert ("being allowed to buy it, in points of win rate", "+6 (+5 to +7)") in ghoul["values"]
    assert ("worth most to", "Fenris") in ghoul["values"]
    assert [game["game"] for game in ghoul["games"]] == [260]  # one that can be opened
    assert [name for name, _ in found["Lilith"]["influences"]] == [card.name for card in Known.cards.influences_of("Lilith")]
