"""What people see: the command line, charts and pages.

`cli.py` puts the commands together, one `commands_*.py` for each family; `write.py` makes the page of a run from the tables of its analysis, and
`compare_page.py` that of a comparison. A page says nothing of its own: numbers and verdicts come from analysis.
May import: simulator, strategies, analysis. The last room: none imports it.
"""
