"""Words of scratch live at each op."""

from vliw_mlir.analysis.pressure import function_pressure, report
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.source import make_context, parse_module


def words(body):
    text = f"func.func @f(%a: i32, %b: i32, %x: !word.buffer<64>) {{\n{body}\nfunc.return\n}}"
    pressure = function_pressure(kernel_function(parse_module(make_context(), text)))
    return [(point.op.name, point.words) for point in pressure.points], pressure


def test_straight_line():
    found, _ = words("""
      %c = word.add %a, %b : i32
      %v = word.broadcast %c : vector<8xi32>
      %w = word.add %v, %v : vector<8xi32>
      word.store %w, %x[%a] : vector<8xi32>, !word.buffer<64>""")
    # %a and %x live to the store; %b ends at the add.
    assert found == [
        ("word.add", 3),
        ("word.broadcast", 10),
        ("word.add", 10),
        ("word.store", 0),
        ("func.return", 0),
    ]


def test_views_take_nothing_and_keep_what_they_show():
    found, _ = words("""
      %v = word.broadcast %a : vector<8xi32>
      %w = word.broadcast %b : vector<8xi32>
      %c = word.concat %v, %w : vector<8xi32>, vector<8xi32> -> vector<16xi32>
      %s = word.slice %c[3] : vector<16xi32> -> vector<8xi32>
      word.store %s, %x[%a] : vector<8xi32>, !word.buffer<64>
      %e = word.extract %s[0] : vector<8xi32>
      word.store %e, %x[%a] : i32, !word.buffer<64>""")
    assert [number for _, number in found] == [11, 18, 18, 18, 18, 18, 0, 0]


def test_unused_values_take_nothing():
    found, _ = words("%c = word.add %a, %a : i32")
    assert found == [("word.add", 0), ("func.return", 0)]


def test_a_value_from_outside_lives_through_a_loop():
    found, pressure = words("""
      %c0 = word.constant 0 : i32
      scf.for %i = %c0 to %a step %b : i32 {
        %v = word.load %x[%i] : !word.buffer<64> -> i32
        %w = word.add %v, %a : i32
        word.store %w, %x[%i] : i32, !word.buffer<64>
      }""")
    # Around the loop: %a, %b, %x, %c0; in it %i and one value.
    assert found == [
        ("word.constant", 4),
        ("word.load", 6),
        ("word.add", 6),
        ("word.store", 4),
        ("scf.yield", 4),
        ("scf.for", 0),
        ("func.return", 0),
    ]
    assert pressure.peak.op.name == "word.load"
    assert next(report(pressure)).startswith("peak 6 words at word.load (<string>:")
