"""A game for people: what changed, told in words; scenarios and positions that are set by hand."""
