"""What the games say: tables, intervals and verdicts from a run folder.

    source ─▶ questions, feel ─▶ verdicts ─▶ findings.json and tables      (analyze puts them together)
    contract is what reports may rely on, stats the pure functions below all of it

`compare` holds two runs against each other, `examples` picks the games behind a finding, `trials` and `players` play games of their own.
May import: simulator, and strategies to let them play. Never reports.
"""
