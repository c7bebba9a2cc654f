"""Every expansion against the meaning of the function it stands for."""

from __future__ import annotations

from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from support.word_reference import expected, samples
from vliw_mlir.dialects import kernel, word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.expansions import EXPANSIONS
from vliw_mlir.dialects.facts import set_target
from vliw_mlir.errors import TrapError
from vliw_mlir.interp import interpret_case
from vliw_mlir.lowering.expand_word_ops import ExpandWordOps
from vliw_mlir.semantics import COMPARISONS, FUNCTIONS
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of
from vliw_mlir.verifier import verify

ARITHMETIC = (word.ArithmeticOp, kernel.ElementwiseOp)

LEAST = Target.from_dict(
    {
        "engines": {
            "alu": {"instructions": ["+", "*", "//", "^", "&", "|", "<<", ">>", "<", "=="]},
            "valu": {"instructions": ["+", "*", "^", "&", "|", "<<", ">>", "<"]},
            "flow": {"instructions": ["cond_jump", "jump", "halt"]},
        }
    }
)
"""A machine that has nothing of what can be composed."""


def on_words(name: str, count: int) -> str:
    """A kernel that applies a function to `count` rows of operands, word by word."""
    arity = FUNCTIONS[name].arity
    loads = "\n".join(
        f"%x{n} = word.load %a{n}[%i] : !word.buffer<{count}> -> i32" for n in range(arity)
    )
    body = f"""
      %zero = word.constant 0 : i32
      %one = word.constant 1 : i32
      %count = word.constant {count} : i32
      scf.for %i = %zero to %count step %one : i32 {{
        {loads}
        %result = {application("word", name)} : i32
        word.store %result, %r[%i] : i32, !word.buffer<{count}>
      }}"""
    return on_buffers(body, arity, count)


def on_vectors(name: str, count: int) -> str:
    """The same, on vectors of `count` lanes."""
    arity, type = FUNCTIONS[name].arity, f"vector<{count}xi32>"
    loads = "\n".join(
        f"%x{n} = word.load %a{n}[%zero] : !word.buffer<{count}> -> {type}" for n in range(arity)
    )
    body = f"""
      %zero = word.constant 0 : i32
      {loads}
      %result = {application("word", name)} : {type}
      word.store %result, %r[%zero] : {type}, !word.buffer<{count}>"""
    return on_buffers(body, arity, count)


def on_buffers(body: str, arity: int, count: int) -> str:
    names = [*(f"%a{n}" for n in range(arity)), "%r"]
    arguments = ", ".join(f"{name}: !word.buffer<{count}>" for name in names)
    memrefs = ", ".join([f"memref<{count}xi32>"] * len(names))
    return f"""func.func @k({arguments}) attributes {{vliw.signature = ({memrefs}) -> ()}} {{
      {body}
      func.return
    }}"""


def on_tensors(name: str, count: int) -> str:
    """The same, on tensors of `count` elements; the result is the kernel's."""
    type = f"tensor<{count}xi32>"
    arguments = ", ".join(f"%x{n}: {type}" for n in range(FUNCTIONS[name].arity))
    return f"""func.func @k({arguments}) -> {type} {{
      %result = {application("kernel", name)} : {type}
      func.return %result : {type}
    }}"""


def application(dialect: str, name: str) -> str:
    operands = ", ".join(f"%x{n}" for n in range(FUNCTIONS[name].arity))
    op = f"cmp {name}," if name in COMPARISONS else name
    return f"{dialect}.{op} {operands}"


def rows_for(name: str) -> list[tuple[int, ...]]:
    return list(samples(name, Random(name)))


def run(module: ModuleOp, rows: list[tuple[int, ...]]) -> list[int]:
    columns = [list(column) for column in zip(*rows, strict=True)]
    if "tensor" in str(module):
        (result,) = interpret_case(module, columns).results()
    else:
        result = interpret_case(module, [*columns, [0] * len(rows)]).outputs()[-1]
    return [int(w) for w in result]


def arithmetic(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, ARITHMETIC)]


@pytest.mark.parametrize("name", EXPANSIONS)
@pytest.mark.parametrize("level", [on_words, on_vectors, on_tensors])
def test_expansion_computes_the_function(name: str, level: object) -> None:
    rows = rows_for(name)
    module = parse_module(make_context(), level(name, len(rows)))
    (op,) = arithmetic(module)
    op.results[0].replace_all_uses_with(EXPANSIONS[name](BeforeOp(op), *op.operands))
    op.detach()
    op.erase()
    verify(module)
    assert name not in {op.function.name for op in arithmetic(module)}
    assert run(module, rows) == [expected(name, *row) for row in rows]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("level", [on_words, on_vectors])
def test_pass_leaves_what_the_machine_has(name: str, level: object) -> None:
    rows = rows_for(name)
    module = parse_module(make_context(), level(name, len(rows)))
    set_target(module, LEAST)
    ExpandWordOps().apply(Context(), module)
    verify(module)
    for op in arithmetic(module):
        vector = word.lanes_of(op.result.type) is not None
        assert encoding_of(LEAST, op.function.name, vector=vector) is not Encoding.NONE
    assert run(module, rows) == [expected(name, *row) for row in rows]


@pytest.mark.parametrize("name", [name for name in EXPANSIONS if FUNCTIONS[name].traps])
def test_expansion_of_a_division_still_traps(name: str) -> None:
    module = parse_module(make_context(), on_words(name, 1))
    set_target(module, LEAST)
    ExpandWordOps().apply(Context(), module)

    with pytest.raises(TrapError, match="division by zero"):
        run(module, [(5, 0)])


def test_expansions_come_to_an_end() -> None:
    """No function is composed of itself, directly or not."""
    uses: dict[str, set[str]] = {}
    for name, expansion in EXPANSIONS.items():
        module = parse_module(make_context(), on_words(name, 1))
        (op,) = arithmetic(module)
        expansion(BeforeOp(op), *op.operands)
        uses[name] = {o.function.name for o in arithmetic(module) if o is not op}
    done: set[str] = set(FUNCTIONS) - set(EXPANSIONS)
    while ready := {name for name, used in uses.items() if used <= done} - done:
        done |= ready
    assert done == set(FUNCTIONS)
