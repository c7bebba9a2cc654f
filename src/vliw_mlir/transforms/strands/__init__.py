"""Forming strands: the parts of `form-strands`.

- `items` says what is computed item by item;
- `separation` lets loops of their own compute what items cannot hand on;
- `grouping` finds the ops of a block that one loop over the items can compute;
- `item_loops` emits that loop, `item_body` what is in it for one item.
"""
