"""Loop vectorization: what a value is across iterations, reductions, and widening.

A loop is widened by VLEN: one iteration of the new loop does VLEN iterations of the old one,
one per lane, also when loops are inside of it (outer-loop vectorization; Nuzman and Zaks,
"Outer-Loop Vectorization - Revisited for Short SIMD Architectures", PACT 2008).
"""
