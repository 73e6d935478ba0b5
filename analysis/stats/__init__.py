"""Statistics: pure functions on arrays, each tested against another library or by hand."""
