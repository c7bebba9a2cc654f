"""Fusing, distributing and strip-mining loops keep what programs do."""

from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects import scf

from support.differential import KERNEL_NAMES, Subject, difference, kernel, loops, native, standard
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.distribute_loops import DistributeLoops
from vliw_mlir.transforms.fuse_loops import FuseLoops
from vliw_mlir.transforms.strip_mine import StripMine
from vliw_mlir.verifier import verify

PIPELINES = [
    "fuse-loops",
    "distribute-loops{all=true}",
    "distribute-loops",
    "strip-mine{size=3}",
]


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    subject = kernel(name)
    for pipeline in PIPELINES:
        assert difference(subject, pipeline) is None


@pytest.mark.parametrize("seed", range(10))
def test_random_programs(seed):
    for subject in (standard(seed), native(seed), loops(seed)):
        for pipeline in PIPELINES:
            assert difference(subject, pipeline) is None


ARRAYS = ("%a", "%b", "%c", "%d")
SIZE = 24


def random_loops(seed):
    """Loops with the same bounds that follow each other, over the same arrays."""
    random = Random(seed)
    names = iter(f"%v{n}" for n in range(1000))
    first = random.choice((0, 2, 3))
    counts = [random.choice((1, 1, 2, 4)) for _ in range(random.choice((1, 2, 3)))]
    text = [f"%low = word.constant {first} : i32", f"%high = word.constant {first + 6} : i32"]
    text += [f"%c{n} = word.constant {n} : i32" for n in range(12)]
    total = "%c1"
    for count in counts:
        result, argument = next(names), next(names)
        text.append(
            f"{result} = scf.for %i = %low to %high step %c1 iter_args({argument} = {total})"
            " -> (i32) : i32 {"
        )
        value = argument
        for _ in range(count):
            text, value = statement(random, names, text, value)
        text.append(f"scf.yield {value} : i32 }}")
        total = random.choice((total, "%c5"))
    body = "\n".join(text)
    arguments = ", ".join(f"{array}: !word.buffer<24>" for array in ARRAYS)
    signature = ", ".join("memref<24xi32>" for _ in ARRAYS)
    code = f"""func.func @k({arguments}) attributes {{vliw.signature = ({signature}) -> ()}} {{
      {body}
      func.return
    }}"""
    data = [[random.randrange(100) for _ in range(SIZE)] for _ in ARRAYS]
    return Subject(f"partition {seed}", code, [data])


def statement(random, names, text, value):
    """A load, a computation and a store; now and then of what the loop carries."""
    places = []
    for _ in range(2):
        place, offset, factor = (
            next(names),
            random.choice((0, 0, 1, 2)),
            random.choice((1, 1, 1, 2)),
        )
        scaled = next(names)
        text.append(f"{scaled} = word.mul %i, %c{factor} : i32")
        text.append(f"{place} = word.add {scaled}, %c{offset} : i32")
        places.append(place)
    source, target = (random.choice(ARRAYS) for _ in range(2))
    loaded, made = next(names), next(names)
    text.append(f"{loaded} = word.load {source}[{places[0]}] : !word.buffer<24> -> i32")
    other = random.choice((loaded, "%i", value))
    text.append(f"{made} = word.add {loaded}, {other} : i32")
    text.append(f"word.store {made}, {target}[{places[1]}] : i32, !word.buffer<24>")
    if random.random() < 0.3:
        following = next(names)
        text.append(f"{following} = word.add {value}, {loaded} : i32")
        return text, following
    return text, value


@pytest.mark.parametrize("seed", range(100))
def test_random_loops(seed):
    subject = random_loops(seed)
    for pipeline in PIPELINES:
        assert difference(subject, pipeline) is None


def test_that_something_happens():
    """Of the random loops, many are fused or distributed, and many are not."""
    changed = {FuseLoops: 0, DistributeLoops: 0}
    for seed in range(40):
        for type, options in ((FuseLoops, {}), (DistributeLoops, {"all": True})):
            module = random_loops(seed).parse()
            before = sum(isinstance(op, scf.ForOp) for op in module.walk())
            type(**options).apply(Context(), module)
            after = sum(isinstance(op, scf.ForOp) for op in module.walk())
            changed[type] += before != after
    assert all(3 < number < 37 for number in changed.values()), changed


@pytest.mark.parametrize("trips", range(9))
@pytest.mark.parametrize("low", [0, 2**31, 2**31 - 9, 2**32 - 3])
def test_strips_with_computed_bounds(low, trips):
    text = """func.func @k(%n: i32, %m: i32) -> i32 {
      %c1 = word.constant 1 : i32
      %r = scf.for %i = %n to %m step %c1 iter_args(%v = %n) -> (i32) : i32 {
        word.trace_write %i
        %w = word.add %v, %i : i32
        scf.yield %w : i32
      }
      func.return %r : i32
    }"""
    runs = []
    for size in (1, 4):
        module = parse_module(make_context(), text, "k.mlir")
        StripMine(size=size).apply(Context(), module)
        verify(module)
        assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == (1 if size == 1 else 2)
        compiled = compile_kernel(module)
        image = build_image(compiled.interface, (low, low + trips & 0xFFFFFFFF))
        runs.append((compiled.run(image, step_limit=1000).trace, image.results()))
    assert runs[0] == runs[1]
