"""The table at which a person plays against a strategy: what is shown, what was typed, and the game between."""
