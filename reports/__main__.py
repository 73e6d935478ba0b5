"""`python -m reports` is `terrors`."""

from reports.cli import main

main(prog_name="terrors")
