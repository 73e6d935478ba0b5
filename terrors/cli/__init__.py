"""The command line: main puts the commands together, failures words what goes wrong."""
