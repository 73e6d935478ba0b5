"""What the games say: tables, intervals and verdicts from a run folder. May import: simulator (its run folders), never reports."""
