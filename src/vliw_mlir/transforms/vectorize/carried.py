"""What a wide loop carries in the place of what the loop carried."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import counter_of
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter
from vliw_mlir.semantics import REDUCTIONS, SIGN_BIT, UNSIGNED_ORDER
from vliw_mlir.transforms.vectorize.lanes import (
    combine_all,
    earlier_lanes,
    lanes_of,
    last_lane,
)
from vliw_mlir.transforms.vectorize.recurrences import (
    Best,
    Previous,
    Recurrence,
    Reduction,
    Scan,
)
from vliw_mlir.transforms.vectorize.shapes import Illegal
from vliw_mlir.transforms.vectorize.widen import Widener

_IDEMPOTENT = {"and", "or", "minu", "maxu", "mins", "maxs"}


class CarriedForm(ABC):
    """The wide form of one recurrence of a loop that is widened by `parts` vectors."""

    def __init__(self, loop: scf.ForOp, parts: int, vlen: int):
        self.loop = loop
        self.parts = parts
        self.vlen = vlen

    @property
    def size(self) -> int:
        """How many values the wide loop carries for it."""
        return 1

    @abstractmethod
    def initial(self, e: Emitter) -> list[SSAValue]:
        """What the wide loop carries at first."""

    @abstractmethod
    def enter(self, widener: Widener, state: Sequence[SSAValue]) -> None:
        """Begin an iteration with `state`, what is carried into it."""

    def resolve(self, widener: Widener, e: Emitter) -> None:
        """Find out what each iteration gets from those before it."""
        raise NotImplementedError

    def takes_over(self, op: Operation) -> bool:
        """Whether `widen` is to be called for an op of the loop."""
        return False

    def widen(self, op: word.ArithmeticOp, widener: Widener, e: Emitter) -> None:
        """Emit the wide form of an op that this takes over."""
        raise NotImplementedError

    @abstractmethod
    def leave(self, widener: Widener, e: Emitter) -> list[SSAValue]:
        """End an iteration: what is carried out of it."""

    @abstractmethod
    def totals(self, e: Emitter, state: Sequence[SSAValue]) -> Mapping[int, SSAValue]:
        """What the loop carried in the end, by number, from what the wide loop carried."""

    def argument(self, number: int) -> SSAValue:
        """A carried value as the body of the loop sees it."""
        return self.loop.body.block.args[1 + number]

    def yielded(self, number: int) -> SSAValue:
        """What an iteration hands on."""
        return terminator(self.loop.body).operands[number]


class ReductionForm(CarriedForm):
    """Each lane of each vector has a partial value."""

    def __init__(self, reduction: Reduction, loop: scf.ForOp, parts: int, vlen: int):
        super().__init__(loop, parts, vlen)
        self.reduction = reduction
        self._state: list[SSAValue] = []

    @property
    def size(self) -> int:
        return self.parts

    def initial(self, e: Emitter) -> list[SSAValue]:
        neutral = REDUCTIONS[self.reduction.function]
        return [e.emit(word.ConstantOp([neutral] * self.vlen))] * self.parts

    def enter(self, widener: Widener, state: Sequence[SSAValue]) -> None:
        self._state = list(state)
        widener.set(self.argument(self.reduction.number), state[: widener.parts])

    def leave(self, widener: Widener, e: Emitter) -> list[SSAValue]:
        updated = list(widener.vectors(self.yielded(self.reduction.number), e))
        for part in range(widener.parts):
            repeated = widener.repeated(part)
            if repeated and self.reduction.function not in _IDEMPOTENT:
                mask = [int(lane >= repeated) for lane in range(self.vlen)]
                chosen = e.emit(word.ConstantOp(mask)), updated[part], self._state[part]
                updated[part] = e.function("select", *chosen)
        return updated + self._state[widener.parts :]

    def totals(self, e: Emitter, state: Sequence[SSAValue]) -> Mapping[int, SSAValue]:
        number, function = self.reduction.number, self.reduction.function
        vector = combine_all(e, function, state)
        total = combine_all(e, function, lanes_of(e, vector))
        return {number: e.function(function, self.loop.iter_args[number], total)}


class ScanForm(CarriedForm):
    """Sums of as many iterations as a vector has lanes, added to what there was as many
    iterations before.

    The sums come from adding shifted vectors (Hillis and Steele, "Data parallel algorithms",
    1986), where the lanes of the vector before are shifted in. `sum` stands for any function.
    """

    def __init__(self, scan: Scan, loop: scf.ForOp, parts: int, vlen: int):
        super().__init__(loop, parts, vlen)
        if vlen & (vlen - 1):
            raise Illegal("a scan needs vectors with a power of two of lanes")
        self.scan = scan
        self.distances = [1 << n for n in range(vlen.bit_length() - 1)]
        self._state: list[SSAValue] = []

    @property
    def size(self) -> int:
        return len(self.distances) + 1

    def initial(self, e: Emitter) -> list[SSAValue]:
        neutral = e.emit(word.ConstantOp([REDUCTIONS[self.scan.function]] * self.vlen))
        first = e.broadcast(self.loop.iter_args[self.scan.number], neutral)
        return [*[neutral] * len(self.distances), first]

    def enter(self, widener: Widener, state: Sequence[SSAValue]) -> None:
        self._state = list(state)

    def resolve(self, widener: Widener, e: Emitter) -> None:
        function = self.scan.function
        inputs = [widener.vectors(value, e) for value in self.scan.inputs]
        sums = [combine_all(e, function, part) for part in zip(*inputs, strict=True)]
        *earlier, before = self._state
        self._state = []
        for distance, previous in zip(self.distances, earlier, strict=True):
            self._state.append(sums[-1])
            shifted = earlier_lanes(e, previous, sums, distance)
            sums = [e.function(function, a, b) for a, b in zip(shifted, sums, strict=True)]
        results = [before]
        for vector in sums[:-1]:
            results.append(e.function(function, results[-1], vector))
        # Only one operation leads from what is carried in to what is carried out.
        results.append(e.function(function, before, combine_all(e, function, sums)))
        self._state.append(results[-1])
        widener.set(self.scan.chain[-1].result, results[1:])
        if self.scan.needs_argument:
            widener.set(self.scan.argument, earlier_lanes(e, before, results[1:], 1))

    def leave(self, widener: Widener, e: Emitter) -> list[SSAValue]:
        return self._state

    def totals(self, e: Emitter, state: Sequence[SSAValue]) -> Mapping[int, SSAValue]:
        return {self.scan.number: last_lane(e, state[-1])}


class PreviousForm(CarriedForm):
    """The values of the vector before; each lane gets that of the lane before it."""

    def __init__(self, previous: Previous, loop: scf.ForOp, parts: int, vlen: int):
        super().__init__(loop, parts, vlen)
        self.previous = previous
        self._before: SSAValue

    def initial(self, e: Emitter) -> list[SSAValue]:
        first = self.loop.iter_args[self.previous.number]
        return [e.emit(word.BroadcastOp(first, self.vlen))]

    def enter(self, widener: Widener, state: Sequence[SSAValue]) -> None:
        self._before = state[0]

    def resolve(self, widener: Widener, e: Emitter) -> None:
        vectors = widener.vectors(self.previous.value, e)
        arguments = earlier_lanes(e, self._before, vectors, 1)
        widener.set(self.argument(self.previous.number), arguments)
        self._before = vectors[-1]

    def leave(self, widener: Widener, e: Emitter) -> list[SSAValue]:
        return [self._before]

    def totals(self, e: Emitter, state: Sequence[SSAValue]) -> Mapping[int, SSAValue]:
        return {self.previous.number: last_lane(e, state[0])}


class BestForm(CarriedForm):
    """Each lane of each vector has a choice of its own, and the place where it was made.

    Signed keys are carried with the sign flipped: then unsigned comparisons are right, which
    is what machines have.
    """

    def __init__(self, best: Best, loop: scf.ForOp, parts: int, vlen: int):
        super().__init__(loop, parts, vlen)
        self.best = best
        self.has_place = best.needs_place and best.place is None
        """Whether the place is carried besides what is chosen."""
        self.flips = best.better is not None and best.better not in UNSIGNED_ORDER.values()
        self._state: list[list[SSAValue]] = []
        self._new_keys: list[SSAValue] | None = None
        """The keys of the iterations, with the sign flipped."""

    @property
    def size(self) -> int:
        return self._width * self.parts

    @property
    def _width(self) -> int:
        """How many values a choice consists of."""
        return len(self.best.numbers) + self.has_place

    def _column(self, number: int | None) -> int:
        """Where a carried value is in a choice; the place of its own comes last."""
        return self._width - 1 if number is None else self.best.numbers.index(number)

    def _grouped(self, state: Sequence[SSAValue]) -> list[list[SSAValue]]:
        """The choices, from what is carried."""
        return [list(state[n : n + self._width]) for n in range(0, len(state), self._width)]

    def initial(self, e: Emitter) -> list[SSAValue]:
        # Less than every place: what was chosen before the loop loses against equal keys.
        nowhere = e.emit(word.ConstantOp([SIGN_BIT] * self.vlen))
        choice = [
            nowhere if number == self._marked_place else e.broadcast(first, nowhere)
            for number, first in self._first(e).items()
        ]
        return [*choice, *([nowhere] * self.has_place)] * self.parts

    def _first(self, e: Emitter) -> dict[int, SSAValue]:
        """What is chosen before the loop, by number."""
        first = {number: self.loop.iter_args[number] for number in self.best.numbers}
        return self._flipped(e, first)

    def _flipped(self, e: Emitter, values: dict[int, SSAValue]) -> dict[int, SSAValue]:
        """Values by number, the key with the sign flipped if it is carried so."""
        if self.best.key is None or not self.flips:
            return values
        key = values[self.best.key]
        return values | {self.best.key: e.function("xor", key, e.splat(SIGN_BIT, key))}

    @property
    def _marked_place(self) -> int | None:
        """The value that tells by a mark that nothing was chosen yet.

        If the first of equal keys wins, nothing has the key that there was before the loop.
        """
        return self.best.place if self.best.last else None

    def enter(self, widener: Widener, state: Sequence[SSAValue]) -> None:
        self._state = self._grouped(state)
        self._new_keys = None
        parts = self._state[: widener.parts]
        for position, number in enumerate(self.best.numbers):
            widener.set(self.argument(number), [choice[position] for choice in parts])

    def takes_over(self, op: Operation) -> bool:
        if self.best.key is None or not self.flips:
            return False
        return op in (self.best.condition.owner, self.yielded(self.best.key).owner)

    def widen(self, op: word.ArithmeticOp, widener: Widener, e: Emitter) -> None:
        operands = [self._operand(value, widener, e) for value in op.operands]
        function = UNSIGNED_ORDER.get(op.function.name, op.function.name)
        results = [e.function(function, *part) for part in zip(*operands, strict=True)]
        widener.set(op.result, results)

    def _operand(self, value: SSAValue, widener: Widener, e: Emitter) -> list[SSAValue]:
        """An operand of the comparison of keys or of the choice of a key."""
        assert self.best.key is not None
        vectors = widener.vectors(value, e)
        if value in (self.best.condition, self.argument(self.best.key)):
            return vectors
        if self._new_keys is None:
            sign = e.splat(SIGN_BIT, vectors[0])
            self._new_keys = [e.function("xor", vector, sign) for vector in vectors]
        return self._new_keys

    def leave(self, widener: Widener, e: Emitter) -> list[SSAValue]:
        columns = [widener.vectors(self.yielded(number), e) for number in self.best.numbers]
        if self.has_place:
            columns.append(self._places(widener, e))
        updated = [list(choice) for choice in zip(*columns, strict=True)]
        return _flat(updated + self._state[widener.parts :])

    def _places(self, widener: Widener, e: Emitter) -> list[SSAValue]:
        conditions = widener.vectors(self.best.condition, e)
        counters = widener.vectors(counter_of(self.loop), e)
        places: list[SSAValue] = []
        for condition, counter, choice in zip(conditions, counters, self._state, strict=False):
            sides = (counter, choice[-1]) if self.best.if_true else (choice[-1], counter)
            places.append(e.function("select", condition, *sides))
        return places

    def totals(self, e: Emitter, state: Sequence[SSAValue]) -> Mapping[int, SSAValue]:
        choices = self._grouped(state)
        choice = self._best_of(e, choices)
        lanes = [lanes_of(e, vector) for vector in choice]
        choice = self._best_of(e, [list(lane) for lane in zip(*lanes, strict=True)])
        totals = self._flipped(e, dict(zip(self.best.numbers, choice, strict=False)))
        place = self._marked_place
        if place is not None:
            found = totals[place]
            nowhere = e.function("eq", found, e.constant(SIGN_BIT))
            totals[place] = e.function("select", nowhere, self.loop.iter_args[place], found)
        return totals

    def _best_of(self, e: Emitter, choices: Sequence[list[SSAValue]]) -> list[SSAValue]:
        """The best of some choices, as a balanced tree."""
        while len(choices) > 1:
            pairs = zip(choices[::2], choices[1::2], strict=False)
            odd = choices[len(choices) // 2 * 2 :]
            choices = [*(self._better_of(e, a, b) for a, b in pairs), *odd]
        return choices[0]

    def _better_of(self, e: Emitter, a: list[SSAValue], b: list[SSAValue]) -> list[SSAValue]:
        chosen = self._is_better(e, a, b)
        return [e.function("select", chosen, x, y) for x, y in zip(a, b, strict=True)]

    def _is_better(self, e: Emitter, a: list[SSAValue], b: list[SSAValue]) -> SSAValue:
        """Whether choice `a` is to be preferred."""
        wins: SSAValue | None = None
        if self.best.needs_place:
            place = self._column(self.best.place)
            earlier, later = (b[place], a[place]) if self.best.last else (a[place], b[place])
            wins = e.function("slt", earlier, later)
        if self.best.key is None or self.best.better is None:
            assert wins is not None
            return wins
        key = self._column(self.best.key)
        function = UNSIGNED_ORDER.get(self.best.better, self.best.better)
        better = e.function(function, a[key], b[key])
        if wins is None:
            return better
        equal = e.function("eq", a[key], b[key])
        return e.function("or", better, e.function("and", equal, wins))


def _flat(choices: Iterable[Sequence[SSAValue]]) -> list[SSAValue]:
    return [value for choice in choices for value in choice]


def form_of(recurrence: Recurrence, loop: scf.ForOp, parts: int, vlen: int) -> CarriedForm:
    """The wide form of a recurrence."""
    match recurrence:
        case Reduction():
            return ReductionForm(recurrence, loop, parts, vlen)
        case Best():
            return BestForm(recurrence, loop, parts, vlen)
        case Scan():
            return ScanForm(recurrence, loop, parts, vlen)
        case Previous():
            return PreviousForm(recurrence, loop, parts, vlen)
