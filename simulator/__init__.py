"""The game: cards, rules, engine, scenarios and runs of very many games.

    terms ─▶ cards ──────────────────────▶ play ─▶ story    one game, in words
          └▶ kernel ─▶ rules ─▶ engine ─▶      └─▶ runs     millions of games, in tables

`terms` are the words that all of it is written in; `cards` reads a card set; `kernel` has the records and the compiler, `rules` what may happen in a game,
`engine` its course, all compiled; `play` brings cards, rules and strategies together; `story` tells a game to people; `runs` plays games into folders of
Parquet tables.
May import: nothing of the other rooms, but for runs/job.py, which finds the strategies that a plan names.
"""
