"""Runs that stop: where, and with what message."""

from __future__ import annotations

import pytest

from vliw_mlir.abi import build_image
from vliw_mlir.errors import CompileError, LimitError, TrapError
from vliw_mlir.interp import compile_kernel

from .helpers import DIVISIONS, kernel, parse, run

MEMORY = 64 + 2 + 4
"""Words of the image of the kernels below: header, data, slack."""


def _access(op: str) -> str:
    return kernel(
        "4 0",
        f"""
        %v = word.broadcast %b : vector<2xi32>
        %z = word.constant 0 : i32
        {op}
        func.return""",
    )


@pytest.mark.parametrize(
    "op",
    [
        "%x = word.load %a[%b] : !word.buffer<4> -> i32",
        "%x = word.load %a[%b] : !word.buffer<4> -> vector<2xi32>",
        "%x = word.gather %a[%v] : !word.buffer<4> -> vector<2xi32>",
        "word.store %b, %a[%b] : i32, !word.buffer<4>",
        "word.store %v, %a[%b] : vector<2xi32>, !word.buffer<4>",
        "word.scatter %v, %a[%v] : vector<2xi32>, !word.buffer<4>",
    ],
)
def test_access_outside_memory(op: str):
    name = op.split("= ")[-1].split(" ")[0]
    with pytest.raises(TrapError) as error:
        run(_access(op), [0] * 4, MEMORY - 2)
    column = 9
    assert str(error.value) == (
        f"k.mlir:5:{column}: trap in {name}: word {MEMORY} is outside the memory of {MEMORY} words"
    )


def test_first_word_outside_memory_is_named():
    op = "%x = word.load %a[%b] : !word.buffer<4> -> vector<8xi32>"
    with pytest.raises(TrapError, match=f"word {MEMORY} is outside"):
        run(_access(op), [0] * 4, MEMORY - 2 - 3)
    with pytest.raises(TrapError, match="word 4294967295 is outside"):
        run(_access(op), [0] * 4, (1 << 32) - 3)


def test_last_words_of_memory_are_inside():
    op = "%x = word.load %a[%b] : !word.buffer<4> -> vector<8xi32>"
    run(_access(op), [0] * 4, MEMORY - 2 - 8)
    run(_access("%x = word.load %a[%b] : !word.buffer<4> -> i32"), [0] * 4, MEMORY - 2 - 1)


@pytest.mark.parametrize("name", DIVISIONS)
def test_division_by_zero(name: str):
    scalar = kernel("0", f"%x = word.{name} %a, %a : i32\nfunc.return")
    vector = kernel(
        "0",
        f"""%c = word.constant dense<[1, 1]> : vector<2xi32>
        %v = word.insert %a, %c[1] : vector<2xi32>
        %x = word.{name} %c, %v : vector<2xi32>
        func.return""",
    )
    tensor = f"""
      func.func @k(%a: i32) {{
        %t = kernel.splat %a : tensor<i32>
        %r = kernel.{name} %t, %t : tensor<i32>
        func.return
      }}"""
    for text, place in ((scalar, "2:1: trap in word"), (vector, "4:9: trap in word")):
        run(text, 3)
        with pytest.raises(TrapError) as error:
            run(text, 0)
        assert str(error.value) == f"k.mlir:{place}.{name}: division by zero"
    with pytest.raises(TrapError, match=rf"^k.mlir:4:9: trap in kernel.{name}: division by zero$"):
        run(tensor, 0)


def test_traps_of_literals():
    text = kernel("", "%z = word.constant 0 : i32\n%x = word.remu %z, %z : i32\nfunc.return")
    with pytest.raises(TrapError, match="division by zero"):
        run(text)


@pytest.mark.parametrize(
    "op",
    [
        "%r = kernel.extract %a[%z, %i] : tensor<3x4xi32>",
        "%r = kernel.insert %z, %a[%z, %i] : tensor<3x4xi32>",
        "%r = kernel.gather %a[%zs, %is] : tensor<3x4xi32>, tensor<2xi32>",
        "%r = kernel.scatter %is, %a[%zs, %is] : tensor<2xi32>, tensor<3x4xi32>",
        "%r = kernel.extract_slice %a[%z, %i] strides [1, 1] : tensor<3x4xi32> to tensor<1x1xi32>",
        "%r = kernel.insert_slice %u, %a[%z, %i] strides [1, 1] : tensor<1x1xi32>, tensor<3x4xi32>",
    ],
)
@pytest.mark.parametrize("index", [4, 0xFFFFFFFF])
def test_index_outside_a_tensor(op: str, index: int):
    text = f"""
      func.func @k(%a: tensor<3x4xi32>, %i: i32) {{
        %z = word.constant 0 : i32
        %zs = kernel.splat %z : tensor<2xi32>
        %is = kernel.splat %i : tensor<2xi32>
        %u = kernel.splat %i : tensor<1x1xi32>
        {op}
        func.return
      }}"""
    run(text, [0] * 12, 3)
    with pytest.raises(TrapError) as error:
        run(text, [0] * 12, index)
    name = op.split("= ")[1].split(" ")[0]
    assert str(error.value) == (
        f"k.mlir:7:9: trap in {name}: index {index} is out of bounds for axis 1 with size 4"
    )


def test_end_of_a_slice_counts():
    text = """
      func.func @k(%a: tensor<8xi32>, %i: i32) {
        %r = kernel.extract_slice %a[%i] strides [3] : tensor<8xi32> to tensor<3xi32>
        func.return
      }"""
    run(text, [0] * 8, 1)
    with pytest.raises(TrapError, match="index 8 is out of bounds"):
        run(text, [0] * 8, 2)


def test_place_of_a_trap_in_outlined_code():
    head = "".join(f"scf.if %p -> () {{\n%k{i} = word.constant {i} : i32\n" for i in range(40))
    text = kernel("0", f"%p = word.test %a\n{head}%x = word.divu %k3, %z : i32\n{'}' * 40}\n")
    text = text.replace("%p =", "%z = word.constant 0 : i32\n%p =", 1)
    text = text.replace("}" * 40, "}" * 40 + "\nfunc.return")
    run(text, 0)
    with pytest.raises(TrapError, match=r"^k.mlir:84:1: trap in word.divu"):
        run(text, 1)


def test_memory_after_a_trap_is_as_it_was_then():
    text = kernel(
        "2 0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        word.store %c1, %a[%c0] : i32, !word.buffer<2>
        %x = word.divu %c1, %b : i32
        word.store %c1, %a[%c1] : i32, !word.buffer<2>
        func.return""",
    )
    compiled = compile_kernel(parse(text))
    image = build_image(compiled.interface, [[7, 7], 0])
    with pytest.raises(TrapError):
        compiled.run(image)
    assert image.array(0).tolist() == [1, 7]


LOOP = kernel(
    "0",
    """
    %c0 = word.constant 0 : i32
    %c1 = word.constant 1 : i32
    scf.for %i = %c0 to %a step %c1 : i32 {
      scf.for %j = %c0 to %a step %c1 : i32 {
      }
    }
    func.return""",
)


def test_step_limit_counts_iterations():
    compiled = compile_kernel(parse(LOOP))
    image = build_image(compiled.interface, [9])
    assert compiled.run(image).steps == 90
    assert compiled.run(image, step_limit=90).steps == 90
    with pytest.raises(LimitError) as error:
        compiled.run(image, step_limit=89)
    assert str(error.value) == "k.mlir:6:7: more than 89 steps (loop iterations and branches)"


def test_step_limit_counts_branches():
    text = kernel("", "cf.br ^loop\n^loop:\ncf.br ^loop")
    with pytest.raises(LimitError, match="more than 100 steps"):
        run(text, step_limit=100)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "%x = arith.addi %a, %a : i32",
            "'arith.addi' is not an op of the tensor or SSA level; run convert-std-to-kernel first",
        ),
        ("%x = func.call @f(%a) : (i32) -> i32", "call of 'f': calls must be inlined first"),
        (
            "cf.switch %a : i32, [default: ^x, 1: ^y]\n^y:\ncf.br ^x\n^x:",
            "'cf.switch' cannot end a block at the tensor or SSA level; "
            "run convert-std-to-kernel first",
        ),
    ],
)
def test_ops_of_other_levels(line: str, message: str):
    with pytest.raises(CompileError) as error:
        compile_kernel(parse(kernel("0", f"{line}\nfunc.return")))
    assert str(error.value) == f"k.mlir:2:1: {message}"


TWO_BLOCKS = "cf.br ^x\n^x:"


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (
            f"scf.if %p {{ {TWO_BLOCKS}\nscf.yield }}",
            "'scf.if' op Region 'true_region' at position 0 expected a single block",
        ),
        (
            f"scf.if %p {{ }} else {{ {TWO_BLOCKS}\nscf.yield }}",
            "'scf.if' op 'scf.if' does not contain single-block regions",
        ),
        (
            "%r = scf.for %i = %a to %a step %a iter_args(%x = %a) -> (i32) : i32 "
            f"{{ {TWO_BLOCKS}\nscf.yield %x : i32 }}",
            "'scf.for' op Region 'body' at position 0 expected a single block, but got 2 blocks",
        ),
        (
            f"scf.while () : () -> () {{ {TWO_BLOCKS}\nscf.condition(%p) }} do {{ scf.yield }}",
            "'scf.while' op Region 'before_region' at position 0 expected a single block",
        ),
        (
            f"scf.while () : () -> () {{ scf.condition(%p) }} do {{ {TWO_BLOCKS}\nscf.yield }}",
            "'scf.while' op Region 'after_region' at position 1 expected a single block",
        ),
        (
            "scf.while () : () -> () { scf.yield } do { scf.yield }",
            "'scf.while' op first region must end with 'scf.condition'",
        ),
        (
            "%r = scf.if %p -> (i32) { scf.yield %a : i32 } else { scf.yield }",
            "'scf.if' op values of 'scf.yield' must have the types of the results: (i32), not ()",
        ),
        (
            "%r = scf.if %p -> (i32) { scf.yield %a : i32 }",
            "'scf.if' op with results must have an else region",
        ),
        (
            "%r = scf.execute_region -> i32 { scf.yield }",
            "'scf.execute_region' op values of 'scf.yield' must have the types of the results: "
            "(i32), not ()",
        ),
        (
            "scf.execute_region { func.return }",
            "'func.return' expects parent op 'func.func'",
        ),
        (
            "cf.br ^x(%a : i32)\n^x:",
            "'cf.br' op passes (i32) to a block that takes ()",
        ),
    ],
)
def test_structure_that_was_not_verified(op: str, message: str):
    with pytest.raises(CompileError) as error:
        compile_kernel(parse(kernel("0", f"%p = word.test %a\n{op}\nfunc.return")))
    assert message in str(error.value)
    assert str(error.value).startswith("k.mlir:3:") or "func.return" in op


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            "func.func @k(%a: memref<4xi32>) { func.return }",
            "argument 0: memref<4xi32> is not a type of the tensor or SSA level; "
            "run convert-std-to-kernel first",
        ),
        (
            "func.func @k(%a: tensor<?xi32>) { func.return }",
            "argument 0: tensor<?xi32> is not a type of the tensor or SSA level; "
            "run convert-std-to-kernel first",
        ),
        (
            "func.func @k(%a: i32) attributes {vliw.signature = () -> ()} { func.return }",
            "the arguments and results of the function do not fit its vliw.signature",
        ),
        (
            "func.func @k() attributes {vliw.signature = () -> i32} { func.return }",
            "the arguments and results of the function do not fit its vliw.signature",
        ),
    ],
)
def test_functions_of_other_levels(function: str, message: str):
    with pytest.raises(CompileError) as error:
        compile_kernel(parse(function))
    assert str(error.value) == f"k.mlir:1:1: {message}"


def test_use_before_definition():
    text = kernel(
        "0",
        """
        %p = word.test %a
        cf.cond_br %p, ^define, ^use
      ^define:
        %x = word.add %a, %a : i32
        cf.br ^use
      ^use:
        func.return %x : i32""",
        "i32",
    )
    assert run(text, 4).results() == [8]
    with pytest.raises(CompileError, match=r"^k.mlir:9:9: a value is used before its definition"):
        run(text, 0)
