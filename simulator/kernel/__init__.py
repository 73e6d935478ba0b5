"""What compiled rules stand on: the records that a game is made of, the compiler, keyed luck, piles."""
