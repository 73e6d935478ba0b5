"""What the games say: tables, intervals and verdicts from a run folder.

`analyze.py` reads a run and answers all questions, a table each; `stats.py` has the pure functions on arrays below it, `judging.py` and `findings.py` the
verdicts and sentences above it. Trials that play games of their own (one card, a fair hand, ladders, training) are here too.
May import: simulator, and strategies to let them play. Never reports.
"""
