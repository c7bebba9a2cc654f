"""gather-to-select keeps what programs do, and decides by the resource bound."""

from random import Random

import pytest

from support import differential
from support.work import growth
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function, set_target
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.transforms.gather_to_select import GatherToSelect
from vliw_mlir.transforms.simplify import Simplify
from vliw_mlir.transforms.simplify_with_ranges import SimplifyWithRanges
from vliw_mlir.transforms.unroll_loops import UnrollLoops

ALL = GatherToSelect(limit=1 << 20)
"""Replace all lookups that can be replaced."""


def counted(module, name):
    return sum(op.name == name for op in module.walk())


class Lookups:
    """A random program that looks words up in small buffers, and stores to them here and there."""

    def __init__(self, seed):
        self.rng = Random(seed)
        self.type = self.rng.choice(("i32", "vector<8xi32>", "vector<4xi32>"))
        self.count = 0
        self.lines = []

    def text(self):
        values = [self.emit(f"word.load %x[%c0] : !word.buffer<64> -> {self.type}")]
        values += [self.small(values) for _ in range(3)]
        self.statements(values, self.rng.randrange(6, 14), depth=0)
        body = "\n".join(self.lines)
        constants = "\n".join(f"%c{n} = word.constant {n} : i32" for n in range(4))
        return f"""
            func.func @k(%x: !word.buffer<64>, %a: !word.buffer<16>, %b: !word.buffer<5>) attributes
                {{vliw.signature = (memref<64xi32>, memref<16xi32>, memref<5xi32>) -> ()}} {{
              {constants}
              %t = word.alloc init dense<[7, 1, 9, 3, 3, 8]> : vector<6xi32> : !word.buffer<6>
              {body}
              func.return
            }}"""

    def emit(self, op):
        self.count += 1
        self.lines.append(f"%v{self.count} = {op}")
        return f"%v{self.count}"

    def constant(self, value):
        text = value if self.type == "i32" else f"dense<{value}>"
        return self.emit(f"word.constant {text} : {self.type}")

    def small(self, values):
        """A boolean, or a sum of few of them."""
        rng, type = self.rng, self.type
        x = rng.choice(values)
        bit = self.emit(f"word.and {x}, {self.constant(1)} : {type}")
        match rng.randrange(4):
            case 0:
                return bit
            case 1:
                return self.emit(f"word.cmp eq, {bit}, {self.constant(0)} : {type}")
            case 2:
                a, b = self.constant(rng.randrange(4)), self.constant(rng.randrange(4))
                return self.emit(f"word.select {bit}, {a}, {b} : {type}")
            case _:
                mask = self.constant(rng.choice((2, 3, 6)))
                return self.emit(f"word.and {x}, {mask} : {type}")

    def statements(self, values, count, depth):
        values = list(values)
        for _ in range(count):
            match self.rng.randrange(8):
                case 0 | 1:
                    values.append(self.small(values))
                case 2:
                    a, b = self.rng.sample(values[1:], 2)
                    values.append(self.emit(f"word.add {a}, {b} : {self.type}"))
                case 3 | 4 | 5:
                    values.append(self.lookup(values))
                case 6:
                    buffer, size = self.rng.choice((("a", 16), ("b", 5)))
                    value, where = self.rng.randrange(4), self.rng.randrange(4)
                    self.lines.append(
                        f"word.store %c{value}, %{buffer}[%c{where}] : i32, !word.buffer<{size}>"
                    )
                case _ if depth < 2:
                    name = f"i{len(self.lines)}"
                    self.lines.append(f"scf.for %{name} = %c0 to %c2 step %c1 : i32 {{")
                    self.statements(values, 4, depth + 1)
                    self.lines.append("}")

    def lookup(self, values):
        rng, type = self.rng, self.type
        buffer, size = rng.choice((("a", 16), ("b", 5), ("t", 6)))
        limit = self.constant(size)
        offset = self.emit(f"word.remu {rng.choice(values[1:])}, {limit} : {type}")
        op = "load" if type == "i32" else "gather"
        found = self.emit(f"word.{op} %{buffer}[{offset}] : !word.buffer<{size}> -> {type}")
        where = f"%c{rng.randrange(4)}"
        self.lines.append(f"word.store {found}, %x[{where}] : {type}, !word.buffer<64>")
        return found


def lookups(seed):
    rng = Random(seed)
    runs = [[[rng.getrandbits(32) for _ in range(n)] for n in (64, 16, 5)] for _ in range(3)]
    return differential.Subject(f"lookups {seed}", Lookups(seed).text(), runs)


@pytest.mark.parametrize("seed", range(12))
def test_random_lookups(seed):
    subject = lookups(seed)
    for options in (ALL, GatherToSelect(limit=2, max_words=5)):
        assert differential.difference(subject, (options,)) is None
    # Lookups by the results of lookups.
    passes = (UnrollLoops(), SimplifyWithRanges(), ALL, SimplifyWithRanges())
    assert differential.difference(subject, passes) is None


def test_most_random_lookups_are_replaced():
    before = after = 0
    for seed in range(12):
        module = lookups(seed).parse()
        before += counted(module, "word.gather")
        run_pipeline(make_context(), module, (ALL,))
        after += counted(module, "word.gather")
    assert before > 15
    assert after < before / 3


@pytest.mark.parametrize("name", ["crc32_streams", "histogram", "spmv_csr", "tree_hash_general"])
def test_kernels(name):
    assert differential.difference(differential.kernel(name), (ALL,)) is None


@pytest.mark.parametrize("name", ["tree_hash_values", "tree_hash"])
def test_unrolled_tree_walk(name):
    passes = (Simplify(), UnrollLoops(max_trips=16), Simplify(), ALL, Simplify())
    assert differential.difference(differential.kernel(name), passes) is None


WALK = """
func.func @k(%x: !word.buffer<64>, %t: !word.buffer<31>) attributes
    {vliw.signature = (memref<64xi32>, memref<31xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c64 = word.constant 64 : i32
  %k1 = word.constant dense<1> : vector<8xi32>
  %k2 = word.constant dense<2> : vector<8xi32>
  scf.for %i = %c0 to %c64 step %c8 : i32 {
    %v0 = word.load %x[%i] : !word.buffer<64> -> vector<8xi32>
    %j0 = word.and %v0, %k1 : vector<8xi32>
    ROUNDS
    word.store %vLAST, %x[%i] : vector<8xi32>, !word.buffer<64>
  }
  func.return
}"""

ROUND = """
    %n{0} = word.gather %t[%j{0}] : !word.buffer<31> -> vector<8xi32>
    WORK
    %v{1} = word.xor %m{0}, %n{0} : vector<8xi32>
    %b{0} = word.and %v{1}, %k1 : vector<8xi32>
    %s{0} = word.add %b{0}, %k1 : vector<8xi32>
    %j{1} = word.multiply_add %j{0}, %k2, %s{0} : vector<8xi32>
"""


def walk(rounds, work):
    """A walk down a tree, with much or little to do besides the lookups."""
    body = ""
    for n in range(rounds):
        lines = [f"%m{n} = word.mul %v{n}, %v{n} : vector<8xi32>"]
        for k in range(work):
            last = f"%m{n}" if k == work - 1 else f"%w{n}_{k}"
            source = f"%v{n}" if k == 0 else f"%w{n}_{k - 1}"
            lines += [f"{last} = word.multiply_add {source}, %v{n}, %k2 : vector<8xi32>"]
        if work:
            del lines[0]
        body += ROUND.format(n, n + 1).replace("WORK", "\n".join(lines))
    text = WALK.replace("ROUNDS", body).replace("LAST", str(rounds))
    return parse_module(make_context(), text)


def replaced(module, engines=None, **options):
    """How many of the gathers are replaced."""
    if engines:
        set_target(module, Target.from_dict({"engines": engines}))
    before = counted(module, "word.gather")
    run_pipeline(make_context(), module, (GatherToSelect(**options),))
    return before - counted(module, "word.gather")


def test_the_bound_decides():
    # Loads bind: everything goes.
    assert replaced(walk(3, work=0)) == 3
    # So much else to do that no selection pays.
    assert replaced(walk(3, work=60)) == 0
    # In between, the cheap ones.
    assert replaced(walk(3, work=10)) == 2
    # Slots for loads are there anyway.
    assert replaced(walk(4, work=20)) == 1
    assert replaced(walk(4, work=20), engines={"load": 64}) == 0
    # Loads nearly bind, and with slack another one may go.
    assert replaced(walk(3, work=10), slack=30) == 3
    assert replaced(walk(3, work=60), slack=30) == 0
    # Slots for selections are.
    assert replaced(walk(4, work=0)) == 3
    assert replaced(walk(4, work=0), engines={"flow": 16}) == 4


def counts(places):
    """Count some words in a table of two."""
    steps = "\n".join(
        f"""
        %v{n} = word.load %x[%c{n}] : !word.buffer<64> -> i32
        %j{n} = word.and %v{n}, %c1 : i32
        %o{n} = word.load %t[%j{n}] : !word.buffer<2> -> i32
        %p{n} = word.add %o{n}, %c1 : i32
        word.store %p{n}, %t[%j{n}] : i32, !word.buffer<2>"""
        for n in range(places)
    )
    constants = "\n".join(f"%c{n} = word.constant {n} : i32" for n in range(places))
    text = f"""
    func.func @k(%x: !word.buffer<64>, %t: !word.buffer<2>) attributes
        {{vliw.signature = (memref<64xi32>, memref<2xi32>) -> ()}} {{
      {constants}
      {steps}
      func.return
    }}"""
    return parse_module(make_context(), text)


def test_slack_is_for_words_that_are_loaded_early():
    module = counts(8)
    before = counted(module, "word.select")
    run_pipeline(make_context(), module, (GatherToSelect(slack=90),))
    assert counted(module, "word.select") - before == 1


@pytest.mark.parametrize(
    ("scratch", "expected"), [(100, 0), (200, 1), (290, 2), (470, 2), (480, 3)]
)
def test_scratch_is_not_filled_with_words(scratch, expected):
    """The lookups need 2, 5 and 11 vectors together, and get a quarter of the scratch but for 16
    vectors."""
    module = walk(3, work=0)
    set_target(module, Target.from_dict({"scratch": scratch}))
    assert replaced(module) == expected


def test_options():
    assert replaced(walk(3, work=0), max_words=4) == 2
    assert [replaced(walk(4, work=60), limit=n) for n in range(6)] == [0, 1, 2, 3, 4, 4]


def test_words_are_loaded_once_in_front_of_the_loop():
    module = walk(3, work=0)
    run_pipeline(make_context(), module, (GatherToSelect(), Simplify()))
    block = kernel_function(module).body.block
    loads = [op for op in block.ops if isinstance(op, word.LoadOp)]
    # Words 0 to 14, as two vectors.
    assert len(loads) == 2
    (loop,) = (op for op in block.ops if op.regions)
    inner = [op.name for op in loop.walk()]
    assert inner.count("word.select") == 1 + 3 + 7
    assert inner.count("word.load") == 1


def many_walks(count):
    """A loop over as many walks."""
    module = walk(3, work=0)
    loop = next(op for op in module.walk() if op.name == "scf.for")
    body = loop.body.block
    ops = list(body.ops)[:-1]
    for _ in range(count - 1):
        values = {}
        for op in ops:
            body.insert_op_before(op.clone(values), body.last_op)
    return module


def test_takes_linear_time():
    # With many at once the optimum need not be the same for all.
    assert 20 < replaced(many_walks(10)) < 30

    def prepare(count):
        module = many_walks(count)
        return lambda: replaced(module)

    assert growth(prepare, 10) < 5
