"""split-strided-accesses keeps what programs do, and lowers the bound."""

import random

import pytest

from support import differential
from vliw_mlir.abi import build_image
from vliw_mlir.analysis.bounds import function_bound, words_to_move
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import interface_of, kernel_function, set_target
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.interp import interpret
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.transforms.strided.products import quotient
from vliw_mlir.verifier import verify

BEFORE = (
    "simplify,vectorize-loops,simplify,unroll-loops{factor=8 max-trips=8},simplify,"
    "simplify-with-ranges,simplify"
)
SPLIT = "split-strided-accesses"
MERGE = f"{SPLIT},vectorize-accesses,simplify"


@pytest.mark.parametrize("name", differential.KERNEL_NAMES)
def test_kernels(name):
    assert differential.difference(differential.kernel(name), f"{BEFORE},{MERGE}") is None


@pytest.mark.parametrize("kind", differential.MAKERS)
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(kind, seed):
    subject = differential.MAKERS[kind](seed)
    assert differential.difference(subject, f"{BEFORE},{MERGE}") is None
    assert differential.difference(subject, SPLIT) is None


@pytest.mark.parametrize("name", ["murmur3_batch", "crc32_streams"])
def test_the_bound_becomes_lower(name):
    module = differential.kernel(name).parse()
    run_pipeline(make_context(), module, parse_pipeline(BEFORE))
    before = function_bound(kernel_function(module)).cycles
    run_pipeline(make_context(), module, parse_pipeline(MERGE))
    after = function_bound(kernel_function(module)).cycles
    assert before is not None
    assert after is not None
    assert after < 0.7 * before


TRANSPOSED = """
func.func @f(%x: memref<400xi32>, %y: memref<400xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c{n} = arith.constant {n} : index
  %stride = arith.constant {stride} : index
  %first = arith.constant {first} : index
  %three = arith.constant 3 : i32
  scf.for %i = %c0 to %c{n} step %c1 {{
    %row = arith.muli %i, %stride : index
    %at = arith.addi %row, %first : index
    %next = arith.addi %at, %c1 : index
    %a = memref.load %x[%at] : memref<400xi32>
    %b = memref.load %x[%next] : memref<400xi32>
    %c = arith.muli %a, %three : i32
    %d = arith.xori %c, %b : i32
    %e = arith.addi %d, %a : i32
    memref.store %d, %{to}[%next] : memref<400xi32>
    memref.store %e, %{to}[%at] : memref<400xi32>
  }}
  return
}}
"""


@pytest.mark.parametrize("vlen", [4, 8, 16])
@pytest.mark.parametrize("to", ["x", "y"])
@pytest.mark.parametrize(("stride", "first"), [(2, 0), (3, 1), (-1, 100), (-2, 200), (5, 0)])
def test_strides(vlen, to, stride, first):
    text = TRANSPOSED.format(n=37, stride=stride, first=first, to=to)
    rng = random.Random(1)
    args = [[rng.getrandbits(32) for _ in range(400)] for _ in range(2)]
    results = []
    for pipeline in ("", f",{BEFORE},{MERGE}"):
        ctx = make_context()
        module = parse_module(ctx, text)
        set_target(module, Target.from_dict({"vlen": vlen}))
        run_pipeline(ctx, module, parse_pipeline(differential.TO_SSA + pipeline))
        verify(module)
        image = build_image(interface_of(kernel_function(module)), args)
        interpret(module, image)
        results.append(image.memory.tolist())
    assert results[0] == results[1]


RECORDS = """
func.func @f(%x: memref<480xi32>, %y: memref<96xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 96 : index
  %width = arith.constant {width} : index
  {constants}
  scf.for %i = %c0 to %n step %c1 {{
    %at = arith.muli %i, %width : index
    {body}
    memref.store %sum, %y[%i] : memref<96xi32>
  }}
  return
}}
"""


def records(width, factors):
    """A kernel that multiplies each word of records by factors, and xors the products, shifted."""
    constants, body, total = [], [], "%at32"
    body.append("%at32 = arith.index_cast %at : index to i32")
    for column in range(width):
        constants.append(f"%o{column} = arith.constant {column} : index")
        body.append(f"%p{column} = arith.addi %at, %o{column} : index")
        body.append(f"%w{column} = memref.load %x[%p{column}] : memref<480xi32>")
        for number, factor in enumerate(factors):
            name = f"{column}_{number}"
            constants.append(f"%f{name} = arith.constant {factor} : i32")
            constants.append(f"%s{name} = arith.constant {7 + column} : i32")
            body.append(f"%m{name} = arith.muli %w{column}, %f{name} : i32")
            body.append(f"%h{name} = arith.shrui %m{name}, %s{name} : i32")
            body.append(f"%a{name} = arith.xori {total}, %h{name} : i32")
            body.append(f"%t{name} = arith.addi %a{name}, %m{name} : i32")
            total = f"%t{name}"
    body.append(f"%sum = arith.xori {total}, %at32 : i32")
    return RECORDS.format(width=width, constants="\n".join(constants), body="\n".join(body))


@pytest.mark.parametrize("width", [2, 3, 4, 5])
@pytest.mark.parametrize("factors", [[5], [6, 12], [0xCC9E2D51, 7], [10, 3, 0]])
def test_records(width, factors):
    text = records(width, factors)
    rng = random.Random(1)
    args = [[rng.getrandbits(32) for _ in range(size)] for size in (480, 96)]
    results, moves = [], 0
    for pipeline in ("", f",{BEFORE},{MERGE}"):
        ctx = make_context()
        module = parse_module(ctx, text)
        run_pipeline(ctx, module, parse_pipeline(differential.TO_SSA + pipeline))
        verify(module)
        image = build_image(interface_of(kernel_function(module)), args)
        interpret(module, image)
        results.append(image.memory.tolist())
        made = (op for op in module.walk() if isinstance(op, word.FromElementsOp))
        moves = sum(words_to_move(op) for op in made)
    assert results[0] == results[1]
    assert moves == 0


@pytest.mark.parametrize(
    ("number", "divisor"),
    [
        (0, 0),
        (1, 0),
        (0, 6),
        (12, 6),
        (6, 12),
        (1, 3),
        (0xDEADBEEF, 0xCC9E2D51),
        (1 << 31, 1 << 31),
    ],
)
def test_quotient(number, divisor):
    found = quotient(number, divisor)
    if found is None:
        # A product has at least as many zeros at its end as a factor.
        assert number & -number < divisor & -divisor or divisor == 0
    else:
        assert found * divisor % 2**32 == number
