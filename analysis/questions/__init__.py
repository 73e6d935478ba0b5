"""What is asked of the games, a table each: match-ups, the metagame, what cards are worth."""
