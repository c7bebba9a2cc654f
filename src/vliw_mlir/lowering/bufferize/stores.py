"""Filling buffers with tensors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import prod
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.bufferize.cursor import Cursor
from vliw_mlir.lowering.bufferize.elements import Elements, operands_read
from vliw_mlir.lowering.bufferize.places import Place, at_indices, number_of, reshaped
from vliw_mlir.lowering.bufferize.plan import is_empty
from vliw_mlir.lowering.bufferize.storage import Storage

Pair: TypeAlias = tuple[SSAValue, SSAValue]
"""A tensor and the buffer it shall be stored in."""


def store(storage: Storage, before: Operation, pairs: Sequence[Pair]) -> None:
    """Emit one loop nest that stores tensors of one shape."""
    pairs = [(tensor, buffer) for tensor, buffer in pairs if not is_empty(tensor)]
    if not pairs:
        return
    cursor = Cursor(storage.entry, before)
    elements = Elements(cursor, storage.buffers)
    shape = elements.loop_shape(tensor for tensor, _ in pairs)
    with element_loops(cursor, shape) as place:
        here = reshaped(cursor, place, shape_of(pairs[0][0]))
        words = [elements.element(tensor, here) for tensor, _ in pairs]
        cursor.location = before.location
        offset = cursor.as_word(number_of(cursor, place))
        for value, (_, buffer) in zip(words, pairs, strict=True):
            cursor.append(word.StoreOp(value, buffer, offset))


@contextmanager
def element_loops(cursor: Cursor, shape: tuple[int, ...]) -> Generator[Place]:
    """A nest of loops over all elements of a shape; gives the place that its body is at."""
    indices = [cursor.open_loop(size)[0] if size != 1 else 0 for size in shape]
    yield at_indices(shape, indices)
    for size in shape:
        if size != 1:
            cursor.close_loop()


def copy(storage: Storage, before: Operation, words: int, source: SSAValue, to: SSAValue) -> None:
    """Emit a loop that copies a buffer."""
    cursor = Cursor(storage.entry, before)
    with element_loops(cursor, (words,)) as place:
        offset = cursor.as_word(number_of(cursor, place))
        value = cursor.emit(word.LoadOp(source, offset))
        cursor.append(word.StoreOp(value, to, offset))


def store_at_once(storage: Storage, before: Operation, pairs: Sequence[Pair]) -> None:
    """Store tensors in buffers, some of which may be read to compute others of them.

    A loop body stores after it has read, so a buffer may be written in the loop that reads
    it if that reads only the element to be written. All others are written at the end.
    """
    pairs = [(t, b) for t, b in pairs if storage.buffers.get(t) is not b and not is_empty(t)]
    groups: dict[tuple[int, ...], list[Pair]] = defaultdict(list)
    for tensor, buffer in pairs:
        groups[shape_of(tensor)].append((tensor, buffer))
    read_elsewhere = set[SSAValue]()
    for group in groups.values():
        written = {buffer for _, buffer in group}
        for tensor, _ in group:
            reads = buffers_read(storage, tensor)
            read_elsewhere |= {b for b, in_step in reads if not in_step or b not in written}
    late: list[tuple[int, SSAValue, SSAValue]] = []
    for shape, group in groups.items():
        targets: list[Pair] = []
        for tensor, buffer in group:
            target = storage.temporary(tensor) if buffer in read_elsewhere else buffer
            targets.append((tensor, target))
            if target is not buffer:
                late.append((prod(shape), target, buffer))
        store(storage, before, targets)
    for words, source, buffer in late:
        copy(storage, before, words, source, buffer)


def buffers_read(storage: Storage, tensor: SSAValue) -> set[tuple[SSAValue, bool]]:
    """The buffers read to compute `tensor`.

    Each with whether, of it, an element is read that has the number of the one computed;
    a buffer that is read both ways is there twice.
    """
    found: set[tuple[SSAValue, bool]] = set()
    seen = {(tensor, True)}
    worklist = [(tensor, True)]
    while worklist:
        current, in_step = worklist.pop()
        if (buffer := storage.buffers.get(current)) is not None:
            found.add((buffer, in_step))
            continue
        same, other = operands_read(current)
        operands = [*((v, in_step) for v in same), *((v, False) for v in other)]
        worklist += [item for item in operands if item not in seen]
        seen.update(operands)
    return found
