"""Decision trees among words."""

import pytest

from vliw_mlir.transforms.lookups.selection_trees import (
    Selection,
    conditions,
    leaves,
    selection_tree,
    selections,
)


def find(tree, mask):
    while isinstance(tree, Selection):
        tree = tree.on_true if mask >> tree.condition & 1 else tree.on_false
    return tree


@pytest.mark.parametrize(
    "words", [range(1), range(2), range(3, 7), range(7, 9), range(5, 16), (4, 9, 12)]
)
def test_a_tree_over_the_bits_of_the_words_finds_each(words):
    tree = selection_tree([(word, word) for word in words])
    assert all(find(tree, word) == word for word in words)
    assert len(selections(tree)) == len(words) - 1
    assert sorted(leaves(tree)) == list(words)


def test_the_oldest_condition_decides_between_leaves():
    tree = selection_tree([(mask, 10 + mask) for mask in range(8)])
    assert tree.condition == 2
    assert [s.condition for s in selections(tree)] == [0, 0, 1, 0, 0, 1, 2]
    assert [s.is_between_leaves for s in selections(tree)] == [
        c == 0 for c in (0, 0, 1, 0, 0, 1, 2)
    ]


def test_words_that_occur_twice_are_selected_once():
    # The sum of two conditions.
    tree = selection_tree([(0, 0), (1, 1), (2, 1), (3, 2)])
    assert [find(tree, mask) for mask in range(4)] == [0, 1, 1, 2]
    assert len(selections(tree)) == 3
    # The same choice on both sides.
    tree = selection_tree([(0, 5), (1, 6), (2, 5), (3, 6)])
    assert tree == Selection(0, 6, 5)
    assert conditions(tree) == [0]


def test_one_word_needs_no_condition():
    assert selection_tree([(0, 3), (1, 3)]) == 3
    assert selections(3) == []
    assert conditions(3) == []
