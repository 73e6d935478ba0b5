"""The command line: a module per family of commands; main puts them together."""
