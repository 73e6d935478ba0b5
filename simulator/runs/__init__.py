"""Millions of games into a folder: the plan, its schedule, the chunks, who plays them, the Parquet tables, and the folder read again."""
