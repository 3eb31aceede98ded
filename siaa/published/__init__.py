"""Hold the published generation, watch over it, and ask it."""
