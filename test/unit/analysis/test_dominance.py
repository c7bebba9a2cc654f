from hypothesis import given
from hypothesis import strategies as st

from vliw_mlir.analysis.dominance import UNREACHABLE, DominatorTree


def test_diamond():
    tree = DominatorTree([[1, 2], [3], [3], []])
    assert tree.immediate == [0, 0, 0, 0]
    assert tree.dominates(0, 3)
    assert not tree.dominates(1, 3)
    assert tree.dominates(3, 3)
    assert not tree.strictly_dominates(3, 3)


def test_loop_with_two_exits():
    # 0 -> 1 (header) -> 2 -> 1, and 2 -> 3, 1 -> 3
    tree = DominatorTree([[1], [2, 3], [1, 3], []])
    assert tree.immediate == [0, 0, 1, 1]


def test_irreducible():
    tree = DominatorTree([[1, 2], [2, 3], [1, 3], []])
    assert tree.immediate == [0, 0, 0, 0]


def test_unreachable():
    tree = DominatorTree([[1], [], [1, 3], [2]])
    assert tree.immediate == [0, 0, UNREACHABLE, UNREACHABLE]
    assert not tree.is_reachable(2)
    assert tree.dominates(1, 2), "no path leads to 2"
    assert not tree.dominates(2, 1)


def test_other_root():
    assert DominatorTree([[], [0, 2], [0]], root=1).immediate == [1, 1, 1]


def _reachable(graph: list[list[int]], removed: int | None) -> set[int]:
    seen: set[int] = set()
    stack = [0]
    while stack:
        node = stack.pop()
        if node == removed or node in seen:
            continue
        seen.add(node)
        stack += graph[node]
    return seen


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    n = draw(st.integers(1, 9))
    return [draw(st.lists(st.integers(0, n - 1), max_size=3)) for _ in range(n)]


@given(graphs())
def test_agrees_with_the_definition(graph: list[list[int]]):
    tree = DominatorTree(graph)
    reachable = _reachable(graph, None)
    for above in range(len(graph)):
        without = _reachable(graph, above)
        assert tree.is_reachable(above) == (above in reachable)
        for below in reachable:
            wanted = above in reachable and below not in without
            assert tree.dominates(above, below) == wanted


def test_long_chain_needs_no_recursion():
    n = 20_000
    tree = DominatorTree([[i + 1] for i in range(n - 1)] + [[]])
    assert tree.dominates(1, n - 1)
