"""What the arrays are held against: the same questions asked of Whoosh alone, result by result."""
