"""Rules for minimum and maximum."""

from collections.abc import Iterator

from vliw_mlir.transforms.rules.rule import Rule


def _of_order(suffix: str, least: str, largest: str) -> Iterator[Rule]:
    low, high = f"min{suffix}", f"max{suffix}"
    for name, other, neutral, absorbing in (
        (low, high, largest, least),
        (high, low, least, largest),
    ):
        yield Rule(f"{name}-same", f"{name}(x, x)", "x")
        yield Rule(f"{name}-neutral", f"{name}(x, {neutral})", "x")
        yield Rule(f"{name}-absorbing", f"{name}(x, {absorbing})", absorbing)
        yield Rule(f"{name}-constants", f"{name}({name}(x, C), D)", f"{name}(x, {name}(C, D))")
        yield Rule(f"{name}-own-{name}", f"{name}(x, {name}(x, y))", f"{name}(x, y)")
        yield Rule(f"{name}-own-{other}", f"{name}(x, {other}(x, y))", "x")
        yield Rule(f"{name}-both", f"{name}({low}(x, y), {high}(x, y))", f"{name}(x, y)")


RULES = (
    *_of_order("u", "0", "ONES"),
    *_of_order("s", "SIGN", "(SIGN - 1)"),
    Rule("minu-bound", "minu(x, C)", "x", "ones(x) <= C"),
    Rule("maxu-bound", "maxu(x, C)", "C", "ones(x) <= C"),
    Rule("minu-one", "minu(x, 1)", "0 < x"),
    Rule("maxu-one", "maxu(x, 1)", "x + (x == 0)"),
    Rule("minu-of-maxu", "minu(maxu(x, C), D)", "D", "D <= C"),
    Rule("maxu-of-minu", "maxu(minu(x, C), D)", "D", "C <= D"),
    Rule("mins-of-maxs", "mins(maxs(x, C), D)", "D", "sle(D, C)"),
    Rule("maxs-of-mins", "maxs(mins(x, C), D)", "D", "sle(C, D)"),
    Rule("minu-of-booleans", "minu(x, y)", "x & y", "(ones(x) | ones(y)) < 2"),
    Rule("maxu-of-booleans", "maxu(x, y)", "x | y", "(ones(x) | ones(y)) < 2"),
    Rule("mins-of-positive", "mins(x, y)", "minu(x, y)", "(ones(x) | ones(y)) & SIGN == 0"),
    Rule("maxs-of-positive", "maxs(x, y)", "maxu(x, y)", "(ones(x) | ones(y)) & SIGN == 0"),
)
