"""Affine forms of the lanes of vectors."""

from vliw_mlir.analysis.lane_forms import LaneForms
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.semantics import to_signed
from vliw_mlir.source import make_context, parse_module

TEXT = """
func.func @f(%n: i32, %m: i32, %x: !word.buffer<64>)
    attributes {vliw.signature = (i32, i32, memref<64xi32>) -> ()} {
  %iota = word.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  %two = word.constant dense<2> : vector<4xi32>
  %v = word.broadcast %n : vector<4xi32>
  %a = word.multiply_add %iota, %two, %v : vector<4xi32>
  %w = word.from_elements %n, %m, %n, %m : vector<4xi32>
  %b = word.sub %a, %w : vector<4xi32>
  %c = word.mul %b, %v : vector<4xi32>
  %g = word.gather %x[%a] : !word.buffer<64> -> vector<4xi32>
  %d = word.add %g, %v : vector<4xi32>
  func.return
}
"""


def test_forms():
    func = kernel_function(parse_module(make_context(), TEXT))
    n, m, _ = func.body.block.args
    values = {r.name_hint: r for op in func.walk() for r in op.results}
    forms = LaneForms()
    lanes = forms.of(values["a"])
    assert lanes is not None
    assert [lane.constant for lane in lanes] == [0, 2, 4, 6]
    assert all(lane.terms == {n: 1} for lane in lanes)
    lanes = forms.of(values["b"])
    assert lanes is not None
    assert [(lane.constant, lane.coefficient(n), lane.coefficient(m)) for lane in lanes] == [
        (0, 0, 0),
        (2, 1, -1),
        (4, 0, 0),
        (6, 1, -1),
    ]
    assert [to_signed(lane.constant) for lane in forms.of(values["iota"]) or ()] == [0, 1, 2, 3]
    for name in "cgd":
        assert forms.of(values[name]) is None


def test_long_chains_take_linear_time():
    ops = [word.ConstantOp([0, 1])]
    value = ops[0].result
    for _ in range(20_000):
        value = word.AddOp(value, ops[0]).result
    lanes = LaneForms().of(value)
    assert lanes is not None
    assert [lane.constant for lane in lanes] == [0, 20_001]
