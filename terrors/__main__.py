"""`python -m terrors` is `terrors`."""

from terrors.cli.main import main

main(prog_name="terrors")
