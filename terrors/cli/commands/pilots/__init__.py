"""Commands about the scripted players: who there is, how they are made, how good they are."""
