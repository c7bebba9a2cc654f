"""The replacements of upstream operations as xDSL's own code sees them."""

import pytest
from xdsl.dialects import arith, linalg, memref, scf, test
from xdsl.dialects.builtin import IntegerType, TensorType, VectorType, i1, i8, i32
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Attribute
from xdsl.transforms.canonicalize import CanonicalizePass

from vliw_mlir.dialects.upstream import OVERRIDES
from vliw_mlir.dialects.upstream.arith import CmpiOp, ExtUIOp, IndexCastUIOp, SelectOp, TruncIOp
from vliw_mlir.dialects.upstream.linalg import Contraction, Conv1DOp, DotOp
from vliw_mlir.instrument.printing import module_text
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.verifier import verify

V8 = VectorType(i32, [8])


def value(type: Attribute):
    return test.TestOp(result_types=[type]).results[0]


def canonicalized(text: str) -> str:
    ctx = make_context()
    module = parse_module(ctx, text)
    CanonicalizePass().apply(ctx, module)
    verify(module)
    return module_text(module)


@pytest.mark.parametrize("name", OVERRIDES)
def test_nothing_of_the_dialect_is_lost(name: str):
    from xdsl.dialects import get_all_dialects

    theirs, ours = get_all_dialects()[name](), OVERRIDES[name]()
    assert ours.name == theirs.name
    assert {op.name for op in theirs.operations} <= {op.name for op in ours.operations}
    assert list(ours.attributes) == list(theirs.attributes)
    names = [op.name for op in ours.operations]
    assert len(names) == len(set(names))


def test_redefined_operations_are_still_those_of_xdsl():
    by_name = {op.name: op for name in OVERRIDES for op in OVERRIDES[name]().operations}
    for base in (
        arith.CmpiOp,
        arith.SelectOp,
        arith.ShRUIOp,
        arith.DivSIOp,
        memref.GlobalOp,
        scf.WhileOp,
        linalg.ops.ReduceOp,
    ):
        assert by_name[base.name] is not base
        assert issubclass(by_name[base.name], base)


def test_constructors():
    a = value(V8)
    compare = CmpiOp(a, a, "ult")
    assert compare.result.type == VectorType(i1, [8])
    assert compare.predicate.value.data == 6
    select = SelectOp(compare, a, a)
    assert select.result.type == V8
    wide = ExtUIOp(compare, V8)
    narrow = TruncIOp(wide, VectorType(i8, [8]))
    index = IndexCastUIOp(value(i32), IntegerType(64))
    for op in (compare, select, wide, narrow):
        op.verify()
    with pytest.raises(Exception, match="between index and integers"):
        index.verify()


def test_equal_operands_fold_only_where_the_constant_is_an_i1():
    text = """
func.func @f(%a: i32, %v: vector<8xi32>) -> (i1, vector<8xi1>) {
  %0 = arith.cmpi ule, %a, %a : i32
  %1 = arith.cmpi ule, %v, %v : vector<8xi32>
  return %0, %1 : i1, vector<8xi1>
}"""
    result = canonicalized(text)
    assert "arith.constant true" in result
    assert "arith.cmpi ule, %v, %v : vector<8xi32>" in result


def test_selections_fold():
    text = """
func.func @f(%c: vector<8xi1>, %v: vector<8xi32>) -> vector<8xi32> {
  %0 = arith.select %c, %v, %v : vector<8xi1>, vector<8xi32>
  return %0 : vector<8xi32>
}"""
    assert "arith.select" not in canonicalized(text)


def test_exact_shifts_keep_their_flag_and_folds():
    text = """
func.func @f(%a: i32) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %0 = arith.shrui %a, %zero exact : i32
  %1 = arith.shrui %a, %a exact : i32
  return %0, %1 : i32, i32
}"""
    result = canonicalized(text)
    assert result.count("arith.shrui") == 1
    assert "arith.shrui %a, %a exact" in result


def test_contractions_describe_their_loops():
    tensor = value(TensorType(i8, [3]))
    out = value(TensorType(i32, [8]))
    image = value(TensorType(i8, [10]))
    conv = Conv1DOp(
        [image, tensor],
        [out],
        [out.type],
        hidden_region=Conv1DOp.get_hidden_region([image, tensor], [out]),
    )
    conv.verify()
    assert conv.get_static_loop_ranges() == (8, 3)
    kinds = [t.data for t in conv.get_iterator_types()]
    assert kinds == [IteratorType.PARALLEL, IteratorType.REDUCTION]
    assert [op.name for op in conv.body.block.ops] == [
        "arith.extsi",
        "arith.extsi",
        "arith.muli",
        "arith.addi",
        "linalg.yield",
    ]


@pytest.mark.parametrize("op", Contraction.__subclasses__())
def test_every_contraction_is_consistent(op: type[Contraction]):
    inputs, output = op.MAPS[:2], op.MAPS[2]
    loops = output.num_dims
    assert all(m.num_dims == loops for m in inputs)
    assert len(output.results) == op.PARALLEL
    assert DotOp in Contraction.__subclasses__()
