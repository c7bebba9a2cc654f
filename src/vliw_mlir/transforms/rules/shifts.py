"""Rules for shifts and rotations."""

from vliw_mlir.transforms.rules.rule import Rule

RULES = (
    # Left
    Rule("shl-zero", "x << 0", "x"),
    Rule("shl-of-zero", "0 << n", "0"),
    Rule("shl-all", "x << C", "0", "C >= BITS"),
    Rule("shl-constants", "(x << K) << L", "x << (K + L)", "K < BITS and L < BITS - K"),
    Rule("shl-constants-all", "(x << K) << L", "0", "K < BITS and L < BITS and L >= BITS - K"),
    Rule("shl-multiple", "(x*C) << K", "x * (C << K)", "K < BITS"),
    Rule("shl-sum", "(x + C) << K", "(x << K) + (C << K)"),
    Rule("shl-shru", "(x >> K) << K", "x & (ONES << K)", "K < BITS"),
    Rule("shl-mask", "(x & C) << K", "x << K", "C << K == ONES << K"),
    # Right
    Rule("shru-zero", "x >> 0", "x"),
    Rule("shru-of-zero", "0 >> n", "0"),
    Rule("shru-all", "x >> C", "0", "C >= BITS"),
    Rule("shru-all-possible", "x >> K", "0", "ones(x) >> K == 0"),
    Rule("shru-constants", "(x >> K) >> L", "x >> (K + L)", "K < BITS and L < BITS - K"),
    Rule("shru-shl", "(x << K) >> K", "x & (ONES >> K)", "K < BITS"),
    Rule(
        "shru-shl-left",
        "(x << K) >> L",
        "x << (K - L)",
        "K < BITS and L <= K and ones(x) << K >> K == ones(x)",
    ),
    Rule(
        "shru-shl-right",
        "(x << K) >> L",
        "x >> (L - K)",
        "L < BITS and K < L and ones(x) << K >> K == ones(x)",
    ),
    Rule("shru-mask", "(x & C) >> K", "x >> K", "C >> K == ONES >> K"),
    Rule("shru-masked", "(x & C) >> K", "(x >> K) & (C >> K)", "K < BITS and K and C >> K"),
    Rule("shru-sign-bit", "shrs(x, n) >> (BITS - 1)", "x >> (BITS - 1)"),
    # Masks stay inside of left shifts, which become part of sums
    Rule("and-shl", "(x << K) & C", "(x & (C >> K)) << K", "K < BITS and K"),
    # Signed right
    Rule("shrs-zero", "shrs(x, 0)", "x"),
    Rule("shrs-of-zero", "shrs(0, n)", "0"),
    Rule("shrs-all", "shrs(x, C)", "shrs(x, BITS - 1)", "C >= BITS"),
    Rule("shrs-of-positive", "shrs(x, n)", "x >> n", "ones(x) & SIGN == 0"),
    Rule(
        "shrs-constants",
        "shrs(shrs(x, K), L)",
        "shrs(x, minu(K + L, BITS - 1))",
        "K < BITS and L < BITS",
    ),
    Rule(
        "sign-extension",
        "shrs(x << K, K)",
        "((x & (ONES >> K)) ^ (SIGN >> K)) + -(SIGN >> K)",
        "K < BITS and K",
    ),
    # Rotations
    Rule("rotl-zero", "rotl(x, 0)", "x"),
    Rule("rotr-constant", "rotr(x, C)", "rotl(x, (BITS - C) & (BITS - 1))"),
    Rule("rotl-constant", "rotl(x, C)", "rotl(x, C & (BITS - 1))", "C >= BITS"),
    Rule("rotl-constants", "rotl(rotl(x, K), L)", "rotl(x, (K + L) & (BITS - 1))"),
)
