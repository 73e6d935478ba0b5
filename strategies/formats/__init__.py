"""How a strategy is written down and found: Python files, priority lists (.toml), numbers (.json), look-ahead; the registry reads them all."""
