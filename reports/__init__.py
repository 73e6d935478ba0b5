"""What people see: the command line, charts and pages. The last room: it may import all others, and none imports it."""
