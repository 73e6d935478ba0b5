"""From cards.csv to a card set: the file, its cards, and the language of their abilities.

csv_file ─▶ card (vocabulary ─▶ parser ─▶ grammar) ─▶ card_set;  printing says them again as sentences
"""
