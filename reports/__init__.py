"""What people see: charts and pages.

    inputs ─▶ charts ─▶ page

`inputs` reads what an analysis wrote, `charts` draws it, `page` puts the page together. A page says nothing of its own: numbers and verdicts come from
analysis. May import: simulator, strategies, analysis. Only the command line imports it.
"""
