"""What every number of a set does, and what to change: the number lottery, sweeps, the smallest patch that makes a set fair. They play games of their own."""
