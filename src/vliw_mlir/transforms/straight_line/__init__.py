"""Vectorization of straight-line code: packs of words that become vectors."""
