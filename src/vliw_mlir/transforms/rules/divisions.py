"""Rules for divisions and remainders. None loses a trap of an operation whose result is used."""

from collections.abc import Iterator

from vliw_mlir.transforms.rules.rule import Rule


def _by_one() -> Iterator[Rule]:
    for name in ("divu", "ceildivu", "divs", "floordivs", "ceildivs"):
        yield Rule(f"{name}-by-one", f"{name}(x, 1)", "x")
    for name in ("divs", "floordivs", "ceildivs"):
        yield Rule(f"{name}-by-minus-one", f"{name}(x, -1)", "0 - x")
    yield Rule("remu-by-one", "x % 1", "0")
    yield Rule("rems-by-one", "rems(x, 1)", "0")
    yield Rule("rems-by-minus-one", "rems(x, -1)", "0")


def _of_positive() -> Iterator[Rule]:
    """Signed division of words that are not negative."""
    for name, unsigned in (
        ("divs", "divu"),
        ("floordivs", "divu"),
        ("ceildivs", "ceildivu"),
        ("rems", "remu"),
    ):
        yield Rule(
            f"{name}-of-positive",
            f"{name}(x, y)",
            f"{unsigned}(x, y)",
            "(ones(x) | ones(y)) & SIGN == 0",
        )


RULES = (
    *_by_one(),
    *_of_positive(),
    Rule("divu-power-of-two", "x // C", "x >> log2(C)", "is_power_of_two(C)"),
    Rule("remu-power-of-two", "x % C", "x & (C - 1)", "is_power_of_two(C)"),
    Rule(
        "floordivs-power-of-two",
        "floordivs(x, C)",
        "shrs(x, log2(C))",
        "is_power_of_two(C) and C != SIGN",
    ),
    Rule("divu-of-less", "x // C", "0", "ones(x) < C"),
    Rule("remu-of-less", "x % C", "x", "ones(x) < C"),
    Rule("divu-constants", "(x // C) // D", "x // (C * D)", "mulhu(C, D) == 0 and C and D"),
    Rule("remu-of-remainder", "(x % C) % D", "x % C", "C and C <= D"),
    Rule("remu-of-multiple", "(x % C) % D", "x % D", "C and D and remu(C, maxu(D, 1)) == 0"),
    Rule("divu-exact", "(x - x % y) // y", "x // y"),
    Rule("divs-exact", "divs(x - rems(x, y), y)", "divs(x, y)"),
    Rule("remainder", "x - (x // y) * y", "x % y"),
    Rule("remainder-by-constant", "x + (x // C) * D", "x % C", "C and C + D == 0"),
    Rule("division-and-remainder", "(x // y) * y + x % y", "x"),
)
