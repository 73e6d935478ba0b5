"""Questions that play games of their own: one card closely, the fair hand, pairs of cards confirmed."""
