"""The commands, a module per family, named after what they command."""
