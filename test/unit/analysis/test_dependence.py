"""Dependences between iterations, against all iterations enumerated."""

from itertools import product
from random import Random

import pytest
from xdsl.dialects import scf

from support.work import growth
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.dependence import carried_dependence, direction_vectors
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.source import make_context, parse_module

MODULUS = 2**32


def nest(text):
    """The loops of a kernel, outermost first, and the alias analysis of it."""
    func = kernel_function(parse_module(make_context(), text, "k.mlir"))
    return [op for op in func.walk() if isinstance(op, scf.ForOp)], AliasAnalysis(func)


class RandomNest:
    """A nest of loops with affine accesses, as text and as numbers."""

    def __init__(self, seed):
        random = Random(seed)
        self.depth = random.choice((1, 2, 2, 3))
        self.ranges = []
        for _ in range(self.depth):
            low, trips = random.randint(-3, 3), random.randint(1, 5)
            step = random.choice((1, 1, 2, 3))
            self.ranges.append(range(low, low + (trips - 1) * step + 1, step))
        self.dynamic = random.random() < 0.3
        self.accesses = [self.access(random, n) for n in range(random.randint(1, 3))]
        self.size = None if random.random() < 0.3 else 10_000

    def access(self, random, number):
        """Whether it writes, its words, its constant and a factor per loop; each loop maybe."""
        factors = [
            random.choice((0, 0, 1, 1, 2, -1, 3, 4, 8, random.randint(-40, 40)))
            for _ in self.ranges
        ]
        if random.random() < 0.1:
            factors[random.randrange(self.depth)] = random.choice((2**31, 2**30, 2**32 - 3))
        constant = 500 + random.randint(0, 6)
        writes = number == 0 or random.random() < 0.5
        return writes, random.choice((1, 1, 1, 4)), constant, factors

    def offset(self, access, iteration):
        _, _, constant, factors = access
        total = constant + sum(f * i for f, i in zip(factors, iteration, strict=True))
        return total % MODULUS

    def is_valid(self):
        limit = MODULUS - 64 if self.size is None else self.size
        return all(
            self.offset(a, iteration) + a[1] <= limit
            for a in self.accesses
            for iteration in product(*self.ranges)
        )

    def vectors(self):
        """The directions, and the distances in the outermost loop, that there really are."""
        directions, distances = set(), set()
        iterations = list(product(*map(range, map(len, self.ranges))))
        for a, b in product(self.accesses, repeat=2):
            if not (a[0] or b[0]):
                continue
            for i, j in product(iterations, repeat=2):
                first, second = (
                    self.offset(x, [r[n] for r, n in zip(self.ranges, at, strict=True)])
                    for x, at in ((a, i), (b, j))
                )
                if i < j and first < second + b[1] and second < first + a[1]:
                    directions.add(tuple((y > x) - (y < x) for x, y in zip(i, j, strict=True)))
                    distances.add(j[0] - i[0])
        return directions, distances - {0}

    @property
    def text(self):
        lines = []
        for n, r in enumerate(self.ranges):
            high = f"%h{n}" if self.dynamic else f"%high{n}"
            lines += [
                f"%low{n} = word.constant {r.start} : i32",
                f"%high{n} = word.constant {r.stop} : i32",
                f"%step{n} = word.constant {r.step} : i32",
                f"scf.for %i{n} = %low{n} to {high} step %step{n} : i32 {{",
            ]
        for k, (writes, words, constant, factors) in enumerate(self.accesses):
            lines.append(f"%o{k} = word.constant {constant} : i32")
            total = f"%o{k}"
            for n, factor in enumerate(factors):
                name = f"%o{k}_{n}"
                lines += [
                    f"{name}f = word.constant {factor} : i32",
                    f"{name}p = word.mul %i{n}, {name}f : i32",
                    f"{name} = word.add {total}, {name}p : i32",
                ]
                total = name
            type = "i32" if words == 1 else f"vector<{words}xi32>"
            if writes:
                value = "%x" if words == 1 else "%v"
                lines.append(f"word.store {value}, %a[{total}] : {type}, {self.buffer}")
            else:
                lines.append(f"%l{k} = word.load %a[{total}] : {self.buffer} -> {type}")
        lines += ["}"] * self.depth
        highs = "".join(f", %h{n}: i32" for n in range(self.depth))
        size = "?" if self.size is None else self.size
        signature = f"(memref<{size}xi32>, i32{', i32' * self.depth}) -> ()"
        return (
            f"func.func @k(%a: {self.buffer}, %x: i32{highs}) "
            f"attributes {{vliw.signature = {signature}}} {{\n"
            "%v = word.broadcast %x : vector<4xi32>\n" + "\n".join(lines) + "\nfunc.return\n}"
        )

    @property
    def buffer(self):
        return f"!word.buffer<{'?' if self.size is None else self.size}>"


def check(seed):
    """How many claimed directions and real ones there are, after a check that all are claimed."""
    case = RandomNest(seed)
    if not case.is_valid():
        return 0, 0
    loops, aliases = nest(case.text)
    directions, distances = case.vectors()
    claimed = direction_vectors(loops, aliases)
    assert directions <= set(claimed)
    for vector in claimed:
        assert next(sign for sign in vector if sign) == 1
    nearest = carried_dependence(loops[0], aliases).nearest
    if distances:
        assert nearest is not None
        assert 1 <= nearest <= min(distances)
    return len(claimed), len(directions)


def test_all_dependences_are_found():
    claimed, real = map(sum, zip(*map(check, range(200)), strict=True))
    # Few are found that are not there.
    assert real > 250
    assert claimed < 1.7 * real


def carried(body, *, arguments="%a: !word.buffer<64>, %b: !word.buffer<64>", bounds=("%c0", "%n")):
    """What the outermost loop of `body`, around the counter %i, carries."""
    sizes = {"<64>": "memref<64xi32>", "<?>": "memref<?xi32>", "<?x128>": "memref<?x128xi32>"}
    types = [next(v for k, v in sizes.items() if k in a) for a in arguments.split(", ")]
    text = f"""func.func @k({arguments.replace("x128", "")}, %n: i32, %x: i32)
      attributes {{vliw.signature = ({", ".join(types)}, i32, i32) -> ()}} {{
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c2 = word.constant 2 : i32
      %c8 = word.constant 8 : i32
      %c32 = word.constant 32 : i32
      %c128 = word.constant 128 : i32
      scf.for %i = {bounds[0]} to {bounds[1]} step %c1 : i32 {{
        {body}
      }}
      func.return
    }}"""
    loops, aliases = nest(text)
    return carried_dependence(loops[0], aliases)


LOAD = "= word.load %{}[{}] : !word.buffer<{}> -> i32"
STORE = "word.store {}, %{}[{}] : i32, !word.buffer<{}>"


def test_distances():
    ahead = "%o = word.add %i, %c8 : i32\n"
    for words, nearest in ((1, 8), (8, 1)):
        type = "i32" if words == 1 else "vector<8xi32>"
        body = f"""{ahead} %v = word.load %a[%o] : !word.buffer<64> -> {type}
          word.store %v, %a[%i] : {type}, !word.buffer<64>"""
        assert carried(body).nearest == nearest
    body = ahead + "%v" + LOAD.format("a", "%o", 64) + "\n" + STORE.format("%v", "a", "%i", 64)
    assert carried(body, bounds=("%c0", "%c8")).is_parallel
    assert "word.store at k.mlir:" in str(carried(body).reason)


def test_distinct_buffers_and_reads_only():
    body = "%v" + LOAD.format("a", "%c0", 64) + "\n" + STORE.format("%v", "b", "%i", 64)
    assert carried(body).is_parallel
    assert carried("%v" + LOAD.format("a", "%c0", 64)).is_parallel
    assert carried(STORE.format("%x", "a", "%c0", 64)).nearest == 1


def test_a_loop_that_is_bounded_by_its_accesses():
    """With a step of 32 words, only 2^27 iterations do not touch a word again."""
    body = "%o = word.mul %i, %c32 : i32\n" + STORE.format("%x", "a", "%o", "?")
    assert carried(body, arguments="%a: !word.buffer<?>").is_parallel
    guarded = f"%t = word.test %x\nscf.if %t {{ {body} }}"
    assert carried(guarded, arguments="%a: !word.buffer<?>").nearest is not None
    # Another access tells how often the loop runs.
    both = guarded + "\n" + STORE.format("%x", "b", "%i", 64)
    assert carried(both, arguments="%a: !word.buffer<?>, %b: !word.buffer<64>").is_parallel


def test_rows():
    """The inner counter stays within a row, and so do rows of a loop with computed bounds."""
    body = """%r = word.mul %i, %c32 : i32
      scf.for %j = %c0 to {} step %c1 : i32 {{
        %o = word.add %r, %j : i32
        word.store %x, %a[%o] : i32, !word.buffer<{}>
      }}"""
    assert carried(body.format("%c32", 64)).is_parallel
    assert carried(body.format("%c32", "?"), arguments="%a: !word.buffer<?>").is_parallel
    assert not carried(body.format("%c128", "?"), arguments="%a: !word.buffer<?>").is_parallel


def test_values_that_differ_between_iterations():
    index = "%p" + LOAD.format("b", "%i", 64) + "\n"
    assert carried(index + STORE.format("%x", "a", "%p", 64)).nearest == 1
    offset = index + "%m = word.and %p, %c1 : i32\n%e = word.mul %i, %c2 : i32\n"
    offset += "%o = word.add %e, %m : i32\n"
    assert carried(offset + STORE.format("%x", "a", "%o", 64)).is_parallel


def test_a_buffer_that_a_loop_carries():
    """Two buffers that change places: what is stored in one iteration is loaded in the next."""
    text = """func.func @k(%a: !word.buffer<64>, %b: !word.buffer<64>)
      attributes {vliw.signature = (memref<64xi32>, memref<64xi32>) -> ()} {
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c8 = word.constant 8 : i32
      %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %a, %q = %b)
          -> (!word.buffer<64>, !word.buffer<64>) : i32 {
        %o = word.add %i, %c8 : i32
        %v = word.load %p[%c0] : !word.buffer<64> -> i32
        word.store %v, %q[%o] : i32, !word.buffer<64>
        scf.yield %q, %p : !word.buffer<64>, !word.buffer<64>
      }
      func.return
    }"""
    loops, aliases = nest(text)
    assert carried_dependence(loops[0], aliases).nearest == 1


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        ("word.trace_write %i", "the effects of word.trace_write"),
        ("word.pause", "the effects of word.pause"),
        ("%l = word.alloc init dense<0> : vector<2xi32> : !word.buffer<2>", "writes all"),
    ],
)
def test_other_effects(op, reason):
    assert carried(op).nearest == 1
    assert reason in str(carried(op).reason)


def test_vectors_of_a_nest():
    """A wavefront: (1, -1) is what forbids to interchange."""
    text = """func.func @k(%a: !word.buffer<1024>)
      attributes {vliw.signature = (memref<1024xi32>) -> ()} {
      %c1 = word.constant 1 : i32
      %c31 = word.constant 31 : i32
      %c32 = word.constant 32 : i32
      scf.for %i = %c1 to %c32 step %c1 : i32 {
        scf.for %j = %c1 to %c31 step %c1 : i32 {
          %row = word.mul %i, %c32 : i32
          %o = word.add %row, %j : i32
          %from = word.sub %o, %c31 : i32
          %v = word.load %a[%from] : !word.buffer<1024> -> i32
          word.store %v, %a[%o] : i32, !word.buffer<1024>
        }
      }
      func.return
    }"""
    loops, aliases = nest(text)
    assert set(direction_vectors(loops, aliases)) == {(1, -1)}
    assert carried_dependence(loops[0], aliases).nearest == 1
    assert carried_dependence(loops[1], aliases).is_parallel


def many_accesses(count):
    lines = []
    for n in range(count):
        lines += [
            f"%k{n} = word.constant {n} : i32",
            f"%o{n} = word.add %base, %k{n} : i32",
            f"%v{n} = word.load %a[%o{n}] : !word.buffer<?> -> i32",
            f"word.store %v{n}, %b[%o{n}] : i32, !word.buffer<?>",
        ]
    text = f"""func.func @k(%a: !word.buffer<?>, %b: !word.buffer<?>)
      attributes {{vliw.signature = (memref<?xi32>, memref<?xi32>) -> ()}} {{
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %n = word.constant {count} : i32
      scf.for %i = %c0 to %n step %c1 : i32 {{
        %base = word.mul %i, %n : i32
        {chr(10).join(lines)}
      }}
      func.return
    }}"""
    return nest(text)


def test_many_accesses_take_linear_time():
    loops, aliases = many_accesses(50)
    assert carried_dependence(loops[0], aliases).is_parallel

    def prepare(count):
        loops, aliases = many_accesses(count)
        return lambda: carried_dependence(loops[0], aliases)

    assert growth(prepare, 50) < 5


def unlike_accesses(count):
    """A nest of two loops with so many stores at places that have nothing to do with each
    other."""
    places = range(count)
    arguments = ", ".join(f"%x{n}: i32" for n in places)
    types = ", ".join("i32" for _ in places)
    stores = "\n".join(
        f"%o{n} = word.mul %j, %x{n} : i32\nword.store %j, %a[%o{n}] : i32, !word.buffer<4096>"
        for n in places
    )
    text = f"""func.func @k(%a: !word.buffer<4096>, {arguments})
        attributes {{vliw.signature = (memref<4096xi32>, {types}) -> ()}} {{
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c9 = word.constant 9 : i32
      scf.for %i = %c0 to %c9 step %c1 : i32 {{
        scf.for %j = %c0 to %c9 step %c1 : i32 {{
          {stores}
        }}
      }}
      func.return
    }}"""
    return nest(text)


def test_many_unlike_accesses_take_no_quadratic_time():
    loops, aliases = unlike_accesses(400)
    vectors = direction_vectors(loops, aliases)
    assert set(vectors) == {(0, 1), (1, -1), (1, 0), (1, 1)}

    def prepare(size):
        arguments = unlike_accesses(size)
        return lambda: direction_vectors(*arguments)

    assert growth(prepare, 50) < 5
