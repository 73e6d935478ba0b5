"""How far the tests themselves can be trusted: mutants of the code, random worlds, the engine against the naive implementation (docs/TESTING.md)."""
