"""The charts: each a function of the inputs; `render` draws them, `process` does so beside the rest of the work."""
