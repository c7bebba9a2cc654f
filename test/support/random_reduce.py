"""Shrinking a random program that fails, until nothing can be left out.

Each step proposes smaller programs, in a fixed order; one that is still well-defined and still
fails replaces the program. So the same failure always ends at the same program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

from support.random_ast import (
    I1,
    Argument,
    Block,
    Function,
    Int,
    Mem,
    Op,
    Program,
    Region,
    Value,
    Vec,
    operand_lists,
    walk,
    walk_program,
)
from support.random_evaluate import Invalid, Trap, evaluate

TERMINATORS = (
    "scf.yield",
    "scf.condition",
    "scf.reduce",
    "scf.reduce.return",
    "func.return",
    "cf.br",
    "cf.cond_br",
    "cf.switch",
)

Edit = Callable[[Program, Block, Op], bool]
"""Changes a program at one op; False when there is nothing to change."""


def reduce(
    program: Program, still_fails: Callable[[Program], bool], max_tests: int = 5000
) -> Program:
    """The smallest program found for which `still_fails` holds, as it does for `program`.

    `still_fails` is called `max_tests` times at most.
    """
    search = _Search(program, still_fails, max_tests)
    while search.improve_by_all_steps():
        pass
    search.program.origin += ", reduced"
    return search.program


class _Search:
    def __init__(self, program: Program, still_fails: Callable[[Program], bool], max_tests: int):
        self.program = program
        self._still_fails = still_fails
        self._tests_left = max_tests
        # What a reduced program does to trap may be nothing that a compiler has to preserve.
        self._may_trap = any(_traps(program, args) for args in program.inputs)

    def improve_by_all_steps(self) -> bool:
        """Whether one of the steps, each applied as often as it helps, made progress."""
        improved = [self.improve(step) for step in STEPS]
        return any(improved)

    def improve(self, step: Callable[[Program], Iterator[Program]]) -> bool:
        """Apply one kind of step as long as it makes progress; whether it did."""
        improved = False
        while (smaller := self._first(step)) is not None:
            self.program = smaller
            improved = True
        return improved

    def _first(self, step: Callable[[Program], Iterator[Program]]) -> Program | None:
        for candidate in step(self.program):
            _drop_unused_constants(candidate)
            if self._is_well_defined(candidate) and self._test(candidate):
                return candidate
        return None

    def _is_well_defined(self, candidate: Program) -> bool:
        try:
            traps = [_traps(candidate, args) for args in candidate.inputs]
        except (Invalid, IndexError):
            return False
        return self._may_trap or not any(traps)

    def _test(self, candidate: Program) -> bool:
        if self._tests_left == 0:
            return False
        self._tests_left -= 1
        return self._still_fails(candidate)


def _traps(program: Program, args: list[Argument]) -> bool:
    try:
        evaluate(program, args)
    except Trap:
        return True
    return False


# Changing programs


def _edits(program: Program, *edits: Edit) -> Iterator[Program]:
    """Copies of `program` with one edit made at one op, later ops first."""
    for number in reversed(range(_count(program))):
        for edit in edits:
            candidate = deepcopy(program)
            block, op = list(walk_program(candidate))[number]
            if edit(candidate, block, op):
                yield candidate


def _count(program: Program) -> int:
    return sum(1 for _ in walk_program(program))


def _uses(program: Program) -> dict[Value, int]:
    counts: dict[Value, int] = {}
    for _, op in walk_program(program):
        for values in operand_lists(op):
            for value in values:
                counts[value] = counts.get(value, 0) + 1
    return counts


def _replace(program: Program, old: Value, new: Value) -> None:
    for _, op in walk_program(program):
        for values in operand_lists(op):
            values[:] = [new if value is old else value for value in values]


def _drop_unused_constants(program: Program) -> None:
    used = _uses(program)
    for function in program.functions:
        for block in _blocks(function.body):
            block.ops = [op for op in block.ops if op.name != "arith.constant" or op.result in used]


def _blocks(region: Region) -> list[Block]:
    """All blocks in a region, at any depth."""
    found = list(region)
    for _, op in walk(region):
        for inner in op.regions:
            found += inner
    return found


def _constant(value: int, like: Value) -> Op | None:
    """A constant of the type of a value, None if there are none."""
    type = like.type
    match type:
        case Int():
            return Op("arith.constant", [], [Value(type)], {"value": value & _mask(type)})
        case Vec():
            words = [value & _mask(type.element)] * type.lanes
            return Op("arith.constant", [], [Value(type)], {"value": words})
        case Mem():
            return None


def _mask(type: Int) -> int:
    return (1 << type.width) - 1


def _remove(program: Program, block: Block, op: Op, value: int) -> bool:
    """Remove an op; constants take the place of its results."""
    at = block.ops.index(op)
    used = _uses(program)
    replacements: list[Op] = []
    for result in op.results:
        if result not in used:
            continue
        constant = _constant(value, result)
        if constant is None:
            return False
        _replace(program, result, constant.result)
        replacements.append(constant)
    block.ops[at : at + 1] = replacements
    return True


# Steps: each proposes smaller programs


def one_input(program: Program) -> Iterator[Program]:
    """Fewer runs."""
    if len(program.inputs) == 1:
        return
    for number in range(len(program.inputs)):
        candidate = deepcopy(program)
        candidate.inputs = [candidate.inputs[number]]
        yield candidate


def fewer_ops(program: Program) -> Iterator[Program]:
    """Remove runs of ops, long ones first."""
    count = _count(program)
    size = max(1, count // 2)
    while size:
        for start in range(count - size, -1, -max(1, size)):
            for value in (0, 1):
                candidate = deepcopy(program)
                chosen = list(walk_program(candidate))[start : start + size]
                if _remove_all(candidate, chosen, value):
                    yield candidate
        size //= 2


def _remove_all(program: Program, chosen: list[tuple[Block, Op]], value: int) -> bool:
    removed = False
    for block, op in reversed(chosen):
        if op.name in (*TERMINATORS, "arith.constant") or op not in block.ops:
            continue
        if not _remove(program, block, op, value):
            return False
        removed = True
    return removed


def operands_instead(program: Program) -> Iterator[Program]:
    """Replace an op by one of its operands."""

    def by(number: int) -> Edit:
        def edit(program: Program, block: Block, op: Op) -> bool:
            if len(op.results) != 1 or number >= len(op.operands) or op.name in TERMINATORS:
                return False
            operand = op.operands[number]
            if operand.type != op.result.type:
                return False
            _replace(program, op.result, operand)
            block.ops.remove(op)
            return True

        return edit

    return _edits(program, *(by(number) for number in range(6)))


def constant_operands(program: Program) -> Iterator[Program]:
    """Use a constant in place of a value."""

    def at(number: int, value: int) -> Edit:
        def edit(program: Program, block: Block, op: Op) -> bool:
            if number >= len(op.operands) or _is_constant(program, op.operands[number]):
                return False
            constant = _constant(value, op.operands[number])
            if constant is None:
                return False
            op.operands[number] = constant.result
            block.ops.insert(block.ops.index(op), constant)
            return True

        return edit

    return _edits(program, *(at(number, value) for number in range(6) for value in (0, 1)))


def _is_constant(program: Program, value: Value) -> bool:
    ops = (op for _, op in walk_program(program) if value in op.results)
    return any(op.name == "arith.constant" for op in ops)


def flat_regions(program: Program) -> Iterator[Program]:
    """Replace an op with regions by the content of one of them."""

    def region(number: int) -> Edit:
        def edit(program: Program, block: Block, op: Op) -> bool:
            if number >= len(op.regions) or len(op.regions[number]) != 1:
                return False
            return _inline(program, block, op, op.regions[number][0])

        return edit

    return _edits(program, *(region(number) for number in range(5)))


def _inline(program: Program, block: Block, op: Op, inner: Block) -> bool:
    args = _first_arguments(op, inner)
    last = inner.ops[-1]
    yielded = last.operands[1:] if last.name == "scf.condition" else last.operands
    constants = [_constant(1, arg) for arg in inner.args]
    results = [_constant(0, result) for result in op.results]
    at = block.ops.index(op)
    before: list[Op] = []
    for number, arg in enumerate(inner.args):
        value = args[number] if number < len(args) else None
        if value is None or value.type != arg.type:
            constant = constants[number]
            if constant is None:
                return False
            before.append(constant)
            value = constant.result
        _replace(program, arg, value)
        yielded = [value if v is arg else v for v in yielded]
    after: list[Op] = []
    for number, result in enumerate(op.results):
        value = yielded[number] if number < len(yielded) else None
        if value is None or value.type != result.type:
            constant = results[number]
            if constant is None:
                return False
            after.append(constant)
            value = constant.result
        _replace(program, result, value)
    block.ops[at : at + 1] = [*before, *inner.ops[:-1], *after]
    return True


def _first_arguments(op: Op, inner: Block) -> list[Value]:
    """What the arguments of a region's block are on its first run, as far as it is known."""
    match op.name:
        case "scf.for":
            return [op.operands[0], *op.operands[3:]]
        case "scf.while" if inner is op.regions[1][0]:
            return op.regions[0][0].ops[-1].operands[1:]
        case _:
            return op.operands


def straight_branches(program: Program) -> Iterator[Program]:
    """Leave one target of a branch."""

    def to(number: int) -> Edit:
        def edit(program: Program, block: Block, op: Op) -> bool:
            if len(op.successors) < 2 or number >= len(op.successors):
                return False
            branch = Op("cf.br", [], successors=[op.successors[number]])
            block.ops[-1] = branch
            return True

        return edit

    return _edits(program, *(to(number) for number in range(4)))


def fewer_cases(program: Program) -> Iterator[Program]:
    """Leave out a case of a switch."""

    def without(number: int) -> Edit:
        def edit(program: Program, block: Block, op: Op) -> bool:
            cases = op.attrs.get("cases", [])
            if len(cases) < 2 or number >= len(cases):
                return False
            op.attrs["cases"] = [c for n, c in enumerate(cases) if n != number]
            if op.name == "cf.switch":
                del op.successors[number + 1]
            else:
                del op.regions[number]
            return True

        return edit

    return _edits(program, *(without(number) for number in range(4)))


def merged_blocks(program: Program) -> Iterator[Program]:
    """Join blocks, and remove those that are never entered."""
    for number in range(sum(len(_blocks(f.body)) for f in program.functions)):
        candidate = deepcopy(program)
        regions = [f.body for f in candidate.functions]
        regions += [r for _, op in walk_program(candidate) for r in op.regions]
        places = [(region, block) for region in regions for block in region]
        if _join(candidate, *places[number]):
            yield candidate


def _join(program: Program, region: Region, block: Block) -> bool:
    entries = [
        (other, values)
        for other in region
        for target, values in other.ops[-1].successors
        if target is block
    ]
    if block is region[0]:
        return False
    if not entries:
        region.remove(block)
        return True
    ((other, values), *more) = entries
    if more or other is block or other.ops[-1].name != "cf.br":
        return False
    for arg, value in zip(block.args, list(values), strict=True):
        _replace(program, arg, value)
    other.ops[-1:] = block.ops
    region.remove(block)
    return True


def fewer_results(program: Program) -> Iterator[Program]:
    """Leave out a result, a carried value or a block argument."""

    def without(number: int) -> Edit:
        def edit(program: Program, block: Block, op: Op) -> bool:
            return number < len(op.results) and _drop_result(program, op, number)

        return edit

    yield from _edits(program, *(without(number) for number in range(6)))
    for number in range(sum(len(b.args) for f in program.functions for b in _blocks(f.body))):
        candidate = deepcopy(program)
        blocks = [b for f in candidate.functions for b in _blocks(f.body)]
        places = [(b, n) for b in blocks for n in range(len(b.args))]
        if _drop_block_argument(candidate, *places[number]):
            yield candidate


def _drop_result(program: Program, op: Op, number: int) -> bool:
    if op.results[number] in _uses(program) or not op.regions:
        return False
    if op.name in ("scf.if", "scf.index_switch", "scf.execute_region"):
        for region in op.regions:
            for block in region:
                if not block.ops[-1].successors:
                    del block.ops[-1].operands[number]
    elif op.name == "scf.for":
        body = op.regions[0][0]
        _replace(program, body.args[number + 1], op.operands[number + 3])
        del body.args[number + 1], op.operands[number + 3], body.ops[-1].operands[number]
    elif op.name == "scf.while":
        before, after = op.regions[0][0], op.regions[1][0]
        if after.args[number] in _uses(program):
            return False
        del after.args[number], before.ops[-1].operands[number + 1]
    elif op.name == "scf.parallel":
        reduce = op.regions[0][0].ops[-1]
        rank = len(op.regions[0][0].args)
        del reduce.operands[number], reduce.regions[number], op.operands[3 * rank + number]
    else:
        return False
    del op.results[number]
    return True


def _drop_block_argument(program: Program, block: Block, number: int) -> bool:
    """Of a block that is branched to, or of the first region of a while loop."""
    if block.args[number] in _uses(program):
        return False
    ops = [op for _, op in walk_program(program)]
    edges = [values for op in ops for target, values in op.successors if target is block]
    for op in ops:
        if op.name == "scf.while" and op.regions[0][0] is block:
            edges = [op.operands, op.regions[1][0].ops[-1].operands]
    if not edges:
        return False
    for values in edges:
        del values[number]
    del block.args[number]
    return True


def fewer_parameters(program: Program) -> Iterator[Program]:
    """Leave out functions, arguments, results, globals and facts."""
    for number in range(len(program.functions)):
        yield from _smaller_function(program, number)
    for number in range(len(program.globals)):
        candidate = deepcopy(program)
        name = candidate.globals.pop(number).name
        if all(op.attrs.get("global") != name for _, op in walk_program(candidate)):
            yield candidate


def _smaller_function(program: Program, number: int) -> Iterator[Program]:
    function = program.functions[number]
    calls = [op for _, op in walk_program(program) if op.attrs.get("callee") == function.name]
    is_kernel = function is program.kernel
    if not calls and not is_kernel:
        candidate = deepcopy(program)
        del candidate.functions[number]
        yield candidate
    used = _uses(program)
    for n in range(len(function.result_types)):
        if all(op.results[n] not in used for op in calls):
            candidate = deepcopy(program)
            _drop_function_result(candidate, candidate.functions[number], n)
            yield candidate
    for n, arg in enumerate(function.args):
        candidate = deepcopy(program)
        if arg not in used and n not in program.sizes.values():
            _drop_parameter(candidate, candidate.functions[number], n, is_kernel)
            yield candidate
        elif function.facts[n]:
            candidate.functions[number].facts[n] = {}
            yield candidate


def _drop_function_result(program: Program, function: Function, number: int) -> None:
    del function.result_types[number]
    for block in function.body:
        if block.ops[-1].name == "func.return":
            del block.ops[-1].operands[number]
    for _, op in walk_program(program):
        if op.attrs.get("callee") == function.name:
            del op.results[number]


def _drop_parameter(program: Program, function: Function, number: int, is_kernel: bool) -> None:
    del function.args[number], function.facts[number]
    for _, op in walk_program(program):
        if op.attrs.get("callee") == function.name:
            del op.operands[number]
    if is_kernel:
        for args in program.inputs:
            del args[number]
        program.sizes = {
            memref - (memref > number): size - (size > number)
            for memref, size in program.sizes.items()
            if memref != number
        }


def smaller_constants(program: Program) -> Iterator[Program]:
    """Simpler numbers in the code."""

    def to(simplify: Callable[[int], int]) -> Edit:
        def edit(program: Program, block: Block, op: Op) -> bool:
            if op.name != "arith.constant" or op.result.type == I1:
                return False
            old = op.attrs["value"]
            new = simplify(old) if isinstance(old, int) else [simplify(word) for word in old]
            op.attrs["value"] = new
            return new != old and _weight(new) < _weight(old)

        return edit

    return _edits(program, to(lambda v: 0), to(lambda v: 1), to(lambda v: v >> 1))


def _weight(value: int | list[int]) -> int:
    return value if isinstance(value, int) else sum(value)


def smaller_inputs(program: Program) -> Iterator[Program]:
    """Simpler arguments: zeros in place of parts of arrays, small scalars."""
    for run, args in enumerate(program.inputs):
        for number, arg in enumerate(args):
            for new in _smaller_argument(arg):
                candidate = deepcopy(program)
                candidate.inputs[run][number] = new
                yield candidate


def _smaller_argument(arg: int | list[int]) -> Iterator[int | list[int]]:
    if isinstance(arg, int):
        yield from (new for new in (0, 1, arg >> 1) if new < arg)
        return
    size = len(arg)
    while size:
        for start in range(0, len(arg), size):
            part = arg[start : start + size]
            for new in (0, 1):
                if sum(part) > new * len(part):
                    yield [*arg[:start], *[new] * len(part), *arg[start + size :]]
        size //= 2


def plain_flags(program: Program) -> Iterator[Program]:
    """Leave out overflow flags."""

    def edit(program: Program, block: Block, op: Op) -> bool:
        return op.attrs.pop("overflow", None) is not None

    return _edits(program, edit)


STEPS = (
    one_input,
    fewer_ops,
    flat_regions,
    straight_branches,
    merged_blocks,
    fewer_cases,
    operands_instead,
    constant_operands,
    fewer_results,
    fewer_parameters,
    plain_flags,
    smaller_constants,
    smaller_inputs,
)
