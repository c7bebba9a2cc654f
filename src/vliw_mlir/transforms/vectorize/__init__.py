"""The parts of `vectorize-loops`.

A loop is widened by VLEN: one iteration of the new loop does VLEN iterations of the old one,
one per lane, also when loops are inside of it (outer-loop vectorization; Nuzman and Zaks,
"Outer-Loop Vectorization - Revisited for Short SIMD Architectures", PACT 2008).

- `shapes` says how values differ between iterations, and which operations can be widened;
- `recurrences` says what a loop carries, `reductions` which of it is only combined;
- `order` puts the operations of an iteration in an order that recurrences allow;
- `widen` emits the wide form of operations, `masked` that of loops which lanes leave at
  different times, `carried` that of recurrences, `lanes` work across lanes;
- `wide_loop` puts the wide loop, and what does the iterations left over, in place.
"""
