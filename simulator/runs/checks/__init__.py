"""Whether a run is what it says: its parts, its games played again, and its decisions followed by the rules alone."""
