"""Whether a strategy keeps the rules, and what it makes use of: what `terrors strategies check` does."""
