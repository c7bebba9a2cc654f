"""Multiply-adds: products that only sums use, and affine values from their common root."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.costs import function_cycles
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import SIGN_BIT, WORD_BITS, WORD_MASK
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of
from vliw_mlir.transforms.dead_code import eliminate_dead_code
from vliw_mlir.transforms.rewriting import only_user, replace_op, uniform_constant

MULTIPLY_ADD = "multiply_add"


@dataclass(frozen=True)
class FormMultiplyAdd(ModulePass):
    """Use multiply-adds where the machine has them, if that costs less.

    Works on the SSA level, on vectors and words whose machine has a multiply-add instruction for
    them, in two steps:

    - *Affine values.* A value that is `m*x + c`, with constants `m` and `c`, takes one operation
      on its *root* `x`, however it is computed. So values that are needed only for others of
      the same root go away: with `h = 33*x + 7`, `(h + d) ^ (h << 9)` is the `^` of two
      multiply-adds of `x`. The values of a root are rewritten together, if the sum of what
      their operations cost gets less.
    - *Products.* A product all of whose uses are sums becomes part of each of them.

    Costs are cycles of a machine with its slots shared by much work (see `analysis/costs.py`):
    a multiply-add that one engine alone runs costs more than a sum that several engines run.
    Constants are put in front of each operation; `simplify` brings them together. Takes time
    linear in the number of operations and their uses.

    Statistics: `num-affine-values`, `num-fused-products`.
    """

    name = "form-multiply-add"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        target = target_of(op)
        for function in op.ops:
            if not isinstance(function, FuncOp):
                continue
            count = _AffineValues(function.body, target).rewrite()
            statistics.count("num-affine-values", count)
            eliminate_dead_code(function.body)
            statistics.count("num-fused-products", _fuse_products(function.body, target))
            eliminate_dead_code(function.body)


_NAME = FormMultiplyAdd.name


def _is_vector(value: SSAValue) -> bool:
    return word.lanes_of(value.type) is not None


def _candidates(body: Region, target: Target) -> list[word.ArithmeticOp]:
    """The operations on values for which there is a multiply-add instruction."""
    usable = {
        vector
        for vector in (False, True)
        if encoding_of(target, MULTIPLY_ADD, vector=vector) is Encoding.DIRECT
    }
    if not usable:
        return []
    ops = (op for op in body.walk() if isinstance(op, word.ArithmeticOp))
    return [op for op in ops if _is_vector(op.result) in usable]


# Affine values


@dataclass(frozen=True)
class _Form:
    """The value `factor * root + constant`, modulo 2^32."""

    root: SSAValue
    factor: int = 1
    constant: int = 0

    def scaled(self, factor: int) -> _Form:
        constant = self.constant * factor & WORD_MASK
        return _Form(self.root, self.factor * factor & WORD_MASK, constant)

    def plus(self, constant: int) -> _Form:
        return _Form(self.root, self.factor, (self.constant + constant) & WORD_MASK)

    def of(self, inner: _Form) -> _Form:
        """This form with `inner` in place of its root."""
        return inner.scaled(self.factor).plus(self.constant)

    @property
    def function(self) -> str:
        """The word function that computes the value from its root."""
        if self.factor == 1:
            return "add"
        if self.factor == WORD_MASK:
            return "sub"
        return "mul" if self.constant == 0 else MULTIPLY_ADD

    def emit(self, e: BeforeOp) -> SSAValue:
        """Compute the value from its root."""
        root, function = self.root, self.function
        if function == "add" and self.constant == 0:
            return root
        if function == "add":
            return e.function("add", root, e.splat(self.constant, root))
        if function == "sub":
            return e.function("sub", e.splat(self.constant, root), root)
        factor = e.splat(self.factor, root)
        if function == "mul":
            return e.function("mul", root, factor)
        return e.function(MULTIPLY_ADD, root, factor, e.splat(self.constant, root))


def _form_of(op: word.ArithmeticOp, operands: Sequence[_Form | int]) -> _Form | None:
    """The value of an operation on affine values and constants, None if it is not affine."""
    match op.function.name, operands:
        case "add", (_Form() as a, int(b)):
            return a.plus(b)
        case "add", (int(a), _Form() as b):
            return b.plus(a)
        case "add", (_Form() as a, _Form() as b):
            return _sum(a, b)
        case "sub", (_Form() as a, int(b)):
            return a.plus(-b)
        case "sub", (int(a), _Form() as b):
            return b.scaled(-1).plus(a)
        case "sub", (_Form() as a, _Form() as b):
            return _sum(a, b.scaled(-1))
        case "mul", (_Form() as a, int(b)) | (int(b), _Form() as a):
            return a.scaled(b)
        case "shl", (_Form() as a, int(count)) if count < WORD_BITS:
            return a.scaled(1 << count)
        case "xor", (_Form() as a, int(b)) if b == WORD_MASK:
            return a.scaled(-1).plus(-1)
        case "xor", (_Form() as a, int(b)) if b == SIGN_BIT:
            return a.plus(SIGN_BIT)
        case "multiply_add", (_Form() as a, int(b), int(c)):
            return a.scaled(b).plus(c)
        case "multiply_add", (_Form() as a, int(b), _Form() as c):
            return _sum(a.scaled(b), c)
        case _:
            return None


def _sum(a: _Form, b: _Form) -> _Form | None:
    if a.root is not b.root:
        return None
    return _Form(a.root, (a.factor + b.factor) & WORD_MASK, (a.constant + b.constant) & WORD_MASK)


class _AffineValues:
    """The affine values of a function."""

    def __init__(self, body: Region, target: Target):
        self._target = target
        self._forms: dict[SSAValue, _Form] = {}
        self._groups: dict[SSAValue, list[word.ArithmeticOp]] = {}
        for op in _candidates(body, target):
            form = _form_of(op, [self._operand(value) for value in op.operands])
            # A value that does not depend on the root is a matter of constant folding.
            if form is not None and form.factor:
                self._forms[op.result] = form
                self._groups.setdefault(form.root, []).append(op)

    def _operand(self, value: SSAValue) -> _Form | int:
        constant = uniform_constant(value)
        return self._form(value) if constant is None else constant

    def _form(self, value: SSAValue) -> _Form:
        return self._forms.get(value) or _Form(value)

    def rewrite(self) -> int:
        """Compute values from their roots where that costs less; how many were changed."""
        return sum(self._rewrite_group(root, group) for root, group in self._groups.items())

    def _rewrite_group(self, root: SSAValue, group: Sequence[word.ArithmeticOp]) -> int:
        needed = {op.result for op in group if self._is_needed(op.result, root)}
        old, new = 0.0, 0.0
        changes: list[tuple[word.ArithmeticOp, _Form]] = []
        for op in group:
            if op.result not in needed:
                old += self._cost(op.function.name, root)
            elif any(v not in needed and v is not root for v in self._affine_operands(op)):
                form = self._best_form(op, needed)
                old += self._cost(op.function.name, root)
                new += self._cost(form.function, root)
                changes.append((op, form))
        if not changes or new >= old:
            return 0
        message = f"{len(changes)} affine values from their root, {old:.2f} to {new:.2f} cycles"
        remark(changes[0][0], _NAME, message, RemarkKind.PASSED)
        replaced: dict[SSAValue, SSAValue] = {}
        for op, form in changes:
            source = replaced.get(form.root, form.root)
            value = replace(form, root=source).emit(BeforeOp(op))
            replaced[op.result] = value
            replace_op(op, [value])
        return len(changes)

    def _is_needed(self, value: SSAValue, root: SSAValue) -> bool:
        """Whether something else than affine values of the same root is computed from a value."""
        for use in value.uses:
            user = use.operation
            if not isinstance(user, word.ArithmeticOp) or self._form(user.result).root is not root:
                return True
        return False

    def _affine_operands(self, op: word.ArithmeticOp) -> Iterator[SSAValue]:
        return (value for value in op.operands if uniform_constant(value) is None)

    def _best_form(self, op: word.ArithmeticOp, needed: Container[SSAValue]) -> _Form:
        """The cheapest way to the value of `op`: from the root, or from a value needed anyway."""
        form = self._form(op.result)
        path = _Form(op.result)
        while path.root is not form.root:
            step = self._step(path.root)
            if step is None:
                return form
            path = path.of(step)
            if path.root in needed:
                break
        cheaper = self._cost(path.function, path.root) < self._cost(form.function, path.root)
        return path if cheaper else form

    def _step(self, value: SSAValue) -> _Form | None:
        """An affine value in terms of its operand, None if it has several."""
        op = value.owner
        assert isinstance(op, word.ArithmeticOp)
        operands = set(self._affine_operands(op))
        if len(operands) != 1:
            return None
        constants = [uniform_constant(v) for v in op.operands]
        (source,) = operands
        return _form_of(op, [_Form(source) if c is None else c for c in constants])

    def _cost(self, function: str, like: SSAValue) -> float:
        return function_cycles(self._target, function, vector=_is_vector(like))


# Products


def _fuse_products(body: Region, target: Target) -> int:
    """Let sums compute their products; how many products went away."""
    fused = 0
    for op in _candidates(body, target):
        sums = _sums_of(op)
        if not sums or not _is_cheaper(op, len(sums), target):
            continue
        remark(op, _NAME, f"product becomes part of {len(sums)} sums", RemarkKind.PASSED)
        for user in sums:
            _fuse(op, user)
        fused += 1
    return fused


def _sums_of(product: word.ArithmeticOp) -> list[word.ArithmeticOp]:
    """The users of a product if all are sums in its block, which can compute it instead."""
    if not _is_product(product):
        return []
    users: list[word.ArithmeticOp] = []
    for use in product.result.uses:
        user = use.operation
        if not isinstance(user, word.ArithmeticOp) or user.parent is not product.parent:
            return []
        if user in users or not _takes_product(user, use.index, product):
            return []
        users.append(user)
    # A difference takes its sum along, which cannot take the product itself then.
    return [] if any(_sum_of_difference(user) in users for user in users) else users


def _is_product(op: word.ArithmeticOp) -> bool:
    if op.function.name == "shl":
        return uniform_constant(op.operands[1]) is not None
    return op.function.name == "mul"


def _takes_product(user: word.ArithmeticOp, index: int, product: word.ArithmeticOp) -> bool:
    """Whether a multiply-add can do what `user` does with a product as an operand."""
    match user.function.name:
        case "add":
            return True
        case "sub" if index == 0:
            return _sum_of_difference(user) is not None
        case "sub":
            # The product is subtracted: its factor must be negated.
            return _factor(product) is not None
        case _:
            return False


def _sum_of_difference(op: word.ArithmeticOp) -> word.ArithmeticOp | None:
    """The sum, in the same block, that alone uses a difference."""
    user = only_user(op)
    return user if isinstance(user, word.AddOp) else None


def _factor(product: word.ArithmeticOp) -> int | None:
    """The constant factor of a product."""
    constant = uniform_constant(product.operands[1])
    if constant is None or product.function.name == "mul":
        return constant
    return 1 << constant if constant < WORD_BITS else 0


def _is_cheaper(product: word.ArithmeticOp, sums: int, target: Target) -> bool:
    vector = _is_vector(product.result)

    def cost(function: str) -> float:
        return function_cycles(target, function, vector=vector)

    return sums * cost(MULTIPLY_ADD) < cost(product.function.name) + sums * cost("add")


def _fuse(product: word.ArithmeticOp, user: word.ArithmeticOp) -> None:
    """Replace a sum of a product by a multiply-add."""
    a, b = product.operands
    factor = _factor(product)
    subtracted = user.function.name == "sub" and user.operands[1] is product.result
    e = BeforeOp(user)
    if factor is not None and (subtracted or product.function.name == "shl"):
        b = e.splat(-factor if subtracted else factor, b)
    (other,) = [value for value in user.operands if value is not product.result]
    if user.function.name == "sub" and not subtracted:
        _fuse_difference(user, a, b, other)
    else:
        replace_op(user, [e.function(MULTIPLY_ADD, a, b, other)])


def _fuse_difference(
    difference: word.ArithmeticOp, a: SSAValue, b: SSAValue, subtrahend: SSAValue
) -> None:
    """Replace `(a * b - subtrahend) + z` by `(a * b + z) - subtrahend`."""
    user = _sum_of_difference(difference)
    assert user is not None
    (addend,) = [value for value in user.operands if value is not difference.result]
    e = BeforeOp(user)
    total = e.function(MULTIPLY_ADD, a, b, addend)
    replace_op(user, [e.function("sub", total, subtrahend)])
