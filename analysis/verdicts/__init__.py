"""From numbers to verdicts, and from verdicts to findings with a sentence each."""
