"""The page of a run and that of a comparison: sections, grids, games to replay, put together."""
