"""The words that everything is written in: enumerations, the numbers of the rules. Imports nothing."""
