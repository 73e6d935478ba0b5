"""How games feel: length, turning points, a fitted chance to win."""
