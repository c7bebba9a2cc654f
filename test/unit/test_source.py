import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, NameLoc, StringAttr
from xdsl.ir import Operation

from vliw_mlir.errors import op_location
from vliw_mlir.source import SyntaxFailure, make_context, parse_module


def parse(text: str, **options: int):
    return parse_module(make_context(), text, "k.mlir", **options)


def failure(text: str) -> SyntaxFailure:
    with pytest.raises(SyntaxFailure) as e:
        parse(text)
    return e.value


def find(text: str, name: str) -> Operation:
    return next(op for op in parse(text).walk() if op.name == name)


TEXT = """\
func.func @f(%a: i32,
             %b: i32) -> i32 {
  %x = arith.addi %a, %b : i32
    return %x : i32
}
"""


def test_operations_start_at_their_results():
    assert op_location(find(TEXT, "arith.addi")) == "k.mlir:3:3"
    assert op_location(find(TEXT, "func.return")) == "k.mlir:4:5"
    assert op_location(find(TEXT, "func.func")) == "k.mlir:1:1"
    assert op_location(find(TEXT, "builtin.module")) == "k.mlir:1:1"


def test_block_arguments_have_places():
    block = find(TEXT, "func.func").regions[0].block
    places = [FileLineColLoc(StringAttr("k.mlir"), IntAttr(n), IntAttr(14)) for n in (1, 2)]
    assert [a.location for a in block.args] == places


def test_aliases_of_locations_may_be_defined_behind_their_uses():
    aliased = (
        TEXT.replace("addi %a, %b : i32", "addi %a, %b : i32 loc(#loc1)")
        .replace("return %x : i32", "return %x : i32 loc(#loc1)")
        .replace("%a: i32", "%a: i32 loc(#loc2)")
    )
    text = f'{aliased}#loc1 = loc("here"(#loc2))\n#loc2 = loc("x.c":7:9)\n'
    assert op_location(find(text, "arith.addi")) == "x.c:7:9"
    assert op_location(find(text, "func.return")) == "x.c:7:9"
    for last, message in [
        ("#loc3 = loc(#loc3)", "undefined symbol alias '#loc3'"),
        ("#loc3 = loc(#loc4)", "undefined symbol alias '#loc4'"),
        ("#loc1 = loc(unknown)", "re-declaration of alias '#loc1'"),
    ]:
        assert failure(text + last).message == message


def test_explicit_locations_are_kept():
    text = TEXT.replace("addi %a, %b : i32", 'addi %a, %b : i32 loc("here"("x.c":7:9))')
    op = find(text, "arith.addi")
    assert isinstance(op.location, NameLoc)
    assert op_location(op) == "x.c:7:9"


def test_generic_form():
    op = find('"test.op"() ({\n  %x = "test.op"() : () -> i32\n}) : () -> ()', "test.op")
    inner = op.regions[0].block.first_op
    assert inner is not None
    assert op_location(inner) == "k.mlir:2:3"


def test_line_offset():
    module = parse(TEXT, line_offset=10)
    assert op_location(module) == "k.mlir:11:1"
    with pytest.raises(SyntaxFailure) as e:
        parse("\nfoo", line_offset=10)
    assert e.value.location == "k.mlir:12:1"


def test_empty_text_is_an_empty_module():
    assert not list(parse(" // nothing\n").ops)


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        (
            "func.func @f() {\n  %0 = arith.adi %0, %0 : i32\n}",
            "k.mlir:2:8",
            "operation 'arith.adi' is not registered; did you mean",
        ),
        ("\n  arit.addi", "k.mlir:2:3", "did you mean 'arith'?"),
        ('"x', "k.mlir:1:1", "string literal"),
        ('\n"' + "a long string left open " * 20, "k.mlir:2:1", "string literal"),
        (
            "func.func @f(%a: i32) {\n  %x = arith.addi %a, %gone : i32\n  return\n}",
            "k.mlir:2:23",
            "value %gone is used but not defined",
        ),
        (
            "func.func @f(%a: index) {\n  scf.for %i = %a to %a step %i {\n  }\n  return\n}",
            "k.mlir:2:30",
            "value %i is used but not defined",
        ),
        (
            "func.func @f(%a: i32) {\n  %x = arith.addi %a, %a : i32\n  %x = ub.poison : i32\n}",
            "k.mlir:3:3",
            "already defined",
        ),
        (
            "func.func @f() {\n  cf.br ^nowhere\n}",
            "k.mlir:3:2",
            "dangling block references: k.mlir:2:9",
        ),
        (
            "func.func @f() {\n  cf.br ^a\n^a:\n  return\n^a:\n  return\n}",
            "k.mlir:5:1",
            "re-declaration of block 'a'",
        ),
        ("func.func @f() {\n  return", "k.mlir:2:9", ""),
    ],
)
def test_errors_have_a_place_and_one_line(text: str, location: str, message: str):
    e = failure(text)
    assert e.location == location
    assert message in e.message
    assert "\n" not in e.message


def test_string_literals():
    text = r'module attributes {a = "q\"u\\o\09te", b = ""} {}'
    attributes = parse(text).attributes
    assert attributes == {"a": StringAttr('q"u\\o\tte'), "b": StringAttr("")}


def test_deep_nesting_is_refused_or_read_but_never_crashes():
    depth = 3000
    text = "func.func @f(%c: i1) {" + "scf.if %c {" * depth + "}" * depth + "return }"
    assert "nested too deeply" in failure(text).message


def test_dialects_are_replaced():
    ctx = make_context()
    op = ctx.get_op("arith.cmpi")
    assert op.__module__ == "vliw_mlir.dialects.upstream.arith"
    assert ctx.get_optional_op("word.nonsense") is None
