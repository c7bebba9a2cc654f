"""Dependence graphs: data, memory, control."""

from random import Random

from support.random_word import random_case
from support.work import growth
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.dependence_graph import Kind, function_graph
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.source import make_context, parse_module


def graph_of(text):
    func = kernel_function(parse_module(make_context(), text, "k.mlir"))
    return function_graph(func, AliasAnalysis(func))


def edges(text, *kinds):
    """The edges of some kinds, by the numbers of the operations."""
    graph = graph_of(text)
    numbers = {op: number for number, op in enumerate(graph.nodes)}
    return {
        (numbers[edge.first], numbers[edge.second])
        for edge in graph.edges
        if not kinds or edge.kind in kinds
    }


DIAMOND = """func.func @k(%x: i32) {
  %t = word.test %x
  cf.cond_br %t, ^a, ^b
^a:
  word.trace_write %x
  cf.br ^e
^b:
  cf.br ^e
^e:
  %y = word.add %x, %x : i32
  func.return
}"""


def test_branches_decide_what_is_on_one_side_only():
    assert edges(DIAMOND, Kind.CONTROL) == {(1, 2), (1, 3), (1, 4)}


def test_a_loop_decides_whether_it_runs_again():
    text = """func.func @k(%n: i32) {
      cf.br ^loop(%n : i32)
    ^loop(%i: i32):
      %next = word.shru %i, %n : i32
      %t = word.test %next
      cf.cond_br %t, ^loop(%next : i32), ^end
    ^end:
      func.return
    }"""
    assert edges(text, Kind.CONTROL) == {(3, 1), (3, 2)}


def test_a_loop_without_end():
    text = """func.func @k(%n: i32) {
      %t = word.test %n
      cf.cond_br %t, ^forever, ^end
    ^forever:
      word.trace_write %n
      cf.br ^forever
    ^end:
      func.return
    }"""
    assert {(1, 2), (1, 3), (1, 4)} <= edges(text, Kind.CONTROL)


def store_and_load(count):
    body = "\n".join(
        f"%c{n} = word.constant {n} : i32\n"
        f"%v{n} = word.load %a[%c{n}] : !word.buffer<8192> -> i32\n"
        f"word.store %v{n}, %b[%c{n}] : i32, !word.buffer<8192>"
        for n in range(count)
    )
    return f"""func.func @k(%a: !word.buffer<8192>, %b: !word.buffer<8192>)
      attributes {{vliw.signature = (memref<8192xi32>, memref<8192xi32>) -> ()}} {{
      {body}
      func.return
    }}"""


def test_accesses_that_do_not_meet():
    assert edges(store_and_load(20), Kind.FLOW, Kind.ANTI, Kind.OUTPUT, Kind.ORDER) == set()


def test_many_accesses_stay_in_order():
    """What would take too long to compare is put in order, after all that was before."""

    def prepare(size):
        func = kernel_function(parse_module(make_context(), store_and_load(size), "k.mlir"))
        aliases = AliasAnalysis(func)
        return lambda: function_graph(func, aliases)

    assert growth(prepare, 200) < 5
    graph = graph_of(store_and_load(200))
    assert any(edge.kind is Kind.ORDER for edge in graph.edges)


def test_random_programs_are_in_an_order_that_keeps_to_the_graph():
    """Without the branches back in loops, the text itself is such an order."""
    for seed in range(15):
        case = random_case(Random(seed), statements=25, lengths=(1, 4))
        for first, second in edges(case.text):
            assert first < second
