"""What strategies are made of: opinions of cards, what a thing is worth now, how a turn is played well. `simple` is the part that authors begin with."""
