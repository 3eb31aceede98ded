"""Meaning: vectors of passages and questions, whose cosine is a ranking signal beside words."""
