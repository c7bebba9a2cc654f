import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Region

from vliw_mlir.errors import CompileError
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.verifier import verify, verify_dominance


def check(text: str) -> None:
    verify(parse_module(make_context(), text, "k.mlir"))


def error(text: str) -> CompileError:
    with pytest.raises(CompileError) as e:
        check(text)
    return e.value


def test_names_the_operation_and_its_place():
    e = error('func.func @f(%a: i32) {\n  %0 = "arith.addi"(%a) : (i32) -> i32\n  return\n}')
    assert e.location == "k.mlir:2:3"
    assert e.message.startswith("'arith.addi' op ")
    assert "\n" not in e.message


def test_use_before_definition_in_a_block():
    e = error(
        "func.func @f(%a: i32) {\n"
        "  %x = arith.addi %y, %a : i32\n"
        "  %y = arith.addi %a, %a : i32\n"
        "  return\n}"
    )
    assert e.location == "k.mlir:2:3"
    assert e.message == "'arith.addi' op operand #0 (%y) does not dominate this use"


def test_definition_on_one_path_only():
    e = error("""
func.func @f(%c: i1, %a: i32) -> i32 {
  cf.cond_br %c, ^then, ^join
^then:
  %x = arith.addi %a, %a : i32
  cf.br ^join
^join:
  return %x : i32
}""")
    assert "(%x) does not dominate" in e.message


def test_definition_above_is_visible_in_any_order_of_blocks():
    check("""
func.func @f(%c: i1, %a: i32) -> i32 {
  cf.br ^first
^last:
  return %x : i32
^first:
  %x = arith.addi %a, %a : i32
  cf.cond_br %c, ^last, ^first
}""")


def test_nested_regions_see_what_encloses_them():
    check("""
func.func @f(%c: i1, %a: i32) {
  %x = arith.addi %a, %a : i32
  scf.if %c {
    %y = arith.addi %x, %x : i32
    scf.if %c {
      %z = arith.addi %y, %x : i32
    }
  }
  return
}""")


def test_values_of_a_region_are_invisible_outside():
    inner, outer = test.TestOp(result_types=[i32]), test.TestOp()
    holder = test.TestOp(regions=[Region(Block([inner]))])
    module = ModuleOp([test.TestOp(regions=[Region(Block([holder, outer]))])])
    verify_dominance(module)
    outer.operands = inner.results
    with pytest.raises(CompileError, match="operand #0"):
        verify_dominance(module)


def test_an_operation_does_not_see_its_own_result_inside():
    inner = test.TestOp()
    holder = test.TestOp(result_types=[i32], regions=[Region(Block([inner]))])
    module = ModuleOp([test.TestOp(regions=[Region(Block([holder]))])])
    inner.operands = holder.results
    with pytest.raises(CompileError, match="operand #0"):
        verify_dominance(module)


def test_unreachable_blocks_are_not_checked():
    check("""
func.func @f(%a: i32) -> i32 {
  return %a : i32
^dead:
  %x = arith.addi %y, %a : i32
  %y = arith.addi %x, %a : i32
  cf.br ^dead
}""")


def test_the_body_of_a_module_has_no_order():
    user, definition = test.TestOp(), test.TestOp(result_types=[i32])
    module = ModuleOp([user, definition])
    user.operands = definition.results
    verify(module)


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        ("cf.br ^x(%a, %a : i32, i32)", "'cf.br' op passes (i32, i32) to a block that takes (i32)"),
        ("cf.br ^x", "'cf.br' op passes () to a block that takes (i32)"),
        ("cf.br ^x(%c : i1)", "'cf.br' op passes (i1) to a block that takes (i32)"),
        (
            "cf.cond_br %c, ^x(%a : i32), ^x",
            "'cf.cond_br' op passes () to a block that takes (i32)",
        ),
        (
            "cf.switch %a : i32, [default: ^x(%a : i32), 7: ^x(%c : i1)]",
            "'cf.switch' op passes (i1) to a block that takes (i32)",
        ),
    ],
)
def test_branches_pass_what_blocks_take(branch: str, message: str):
    e = error(f"func.func @f(%a: i32, %c: i1) {{\n{branch}\n^x(%y: i32):\n  return\n}}")
    assert (e.location, e.message) == ("k.mlir:2:1", message)


def test_an_empty_block_needs_a_terminator():
    e = error('"test.op"() ({\n^bb0:\n  "test.termop"() [^bb1] : () -> ()\n^bb1:\n}) : () -> ()')
    assert "empty block" in e.message


def test_a_crashing_check_is_an_error_in_the_input():
    class Fragile(test.TestOp):
        def verify_(self) -> None:
            raise AttributeError("no such thing")

    with pytest.raises(CompileError, match=r"'test.op' op does not verify: AttributeError"):
        verify(ModuleOp([Fragile()]))


def test_dominance_may_be_left_out():
    user, definition = test.TestOp(), test.TestOp(result_types=[i32])
    region = Region(Block([user, definition, test.TestTermOp()]))
    module = ModuleOp([test.TestOp(regions=[region])])
    user.operands = definition.results
    verify(module, dominance=False)
    with pytest.raises(CompileError):
        verify(module)


def test_operations_left_behind_must_not_use_values():
    module = parse_module(make_context(), 'func.func @f() {\n  "test.op"() : () -> i32\n}', "k")
    (function,) = module.ops
    (op,) = function.regions[0].block.ops
    stray = test.TestOp(operands=[op.results[0]])
    with pytest.raises(CompileError) as e:
        verify_dominance(module)
    assert e.value.message == "'test.op' op is used by a 'test.op' op in no block"
    stray.erase()
    verify_dominance(module)
