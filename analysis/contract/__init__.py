"""What analysis writes and reports read: columns of the tables, groups, margins, and how numbers are put into sentences."""
