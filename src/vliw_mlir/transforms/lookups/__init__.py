"""Replacing lookups by selections: the parts of `gather-to-select`.

- `selection_trees` says which selections choose among words;
- `lookup` is a lookup that can be replaced, with its tree;
- `costs` bounds the cycles of a block when some of its lookups are replaced;
- `shared_loads` loads the words, once for all lookups.
"""
