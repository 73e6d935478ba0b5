"""`python -m terrors` is `terrors`."""

from terrors.cli.process import start

start()
