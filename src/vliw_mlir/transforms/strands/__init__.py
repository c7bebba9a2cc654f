"""Forming strands: the parts of `form-strands`.

- `items` says what is computed item by item;
- `grouping` finds the ops of a block that one loop over the items can compute;
- `item_loops` emits that loop.
"""
