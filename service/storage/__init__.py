"""What outlives a request: the cache of answers and the quality log."""
