"""How good strategies are: against each other, on a ladder, and trained to be better."""
