"""A run as analysis reads it: part by part, whole deals at a time; samples of it, and sums over pairs of games."""
