"""What strategies share."""
