"""Search passages. Whoosh is the index of record; the arrays derived from its postings answer questions."""
