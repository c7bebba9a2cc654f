"""Converted branches do what they did, and nothing goes wrong where they are not taken."""

import pytest
from xdsl.context import Context

from support.differential import KERNEL_NAMES, difference, kernel, loops, native, standard
from support.work import growth
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.if_conversion import IfConversion
from vliw_mlir.verifier import verify

CONVERTED = {"bitonic_sort", "collatz", "find_max_index"}


def branches(module):
    return sum(op.name == "scf.if" for op in module.walk())


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    subject = kernel(name)
    assert difference(subject, "if-conversion") is None
    module = subject.parse()
    assert (branches(module) > 0) == (name in CONVERTED)
    IfConversion().apply(Context(), module)
    assert branches(module) == 0


@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed):
    for options in ("max-cycles=1000", "max-cycles=1000 mask-stores"):
        assert difference(loops(seed), f"if-conversion{{{options}}}") is None
        assert difference(native(seed), f"if-conversion{{{options}}}") is None
    if seed < 8:
        assert difference(standard(seed, "traps"), "if-conversion") is None


def converted(body, results="", *, ranges=""):
    """A kernel with two buffers and a body, before and after."""
    text = f"""func.func @k(%a: !word.buffer<8>, %b: !word.buffer<?>, %c: i32, %i: i32 {ranges})
      -> ({results or "i32"}) attributes {{vliw.signature =
          (memref<8xi32>, memref<?xi32>, i32, i32) -> i32}} {{
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c7 = word.constant 7 : i32
      %t = word.test %c
      {body}
    }}"""
    before, after = (parse_module(make_context(), text, "k.mlir") for _ in range(2))
    IfConversion().apply(Context(), after)
    verify(after)
    return before, after


def outcomes(module, b, *scalars):
    compiled = compile_kernel(module)
    image = build_image(compiled.interface, [list(range(10, 18)), b, *scalars])
    compiled.run(image)
    return image.results(), image.memory.tolist()


def test_what_the_condition_says_of_an_offset_does_not_count():
    """Where the offset is computed inside, its range is that of the branch taken."""
    body = """%less = word.cmp ult, %i, %c7 : i32
      %u = word.test %less
      scf.if %u {
        %j = word.add %i, %c1 : i32
        %k = word.maxu %j, %c1 : i32
        word.store %c, %a[%k] : i32, !word.buffer<8>
      }
      func.return %c : i32"""
    before, after = converted(body)
    assert branches(after) == 1
    masked = body.replace("%k = word.maxu %j, %c1", "%k = word.and %j, %c7")
    before, after = converted(masked)
    assert branches(after) == 0
    for i in (0, 3, 7, 8, 100, 0xFFFFFFFF):
        assert outcomes(before, [0], 5, i) == outcomes(after, [0], 5, i)


def test_a_load_that_only_the_condition_lets_happen():
    body = """%r = scf.if %t -> (i32) {
        %v = word.load %a[%i] : !word.buffer<8> -> i32
        scf.yield %v : i32
      } else {
        %w = word.divu %c7, %i : i32
        scf.yield %w : i32
      }
      func.return %r : i32"""
    before, after = converted(body)
    assert branches(after) == 0
    for c, i in ((1, 0), (1, 7), (2, 3), (0, 1), (0, 1 << 30), (0, 7)):
        assert outcomes(before, [0], c, i) == outcomes(after, [0], c, i)


def test_an_access_behind_that_may_not_be_reached():
    """A loop that need not end keeps the access behind it from proving anything."""
    branch = "scf.if %t { word.store %c, %b[%i] : i32, !word.buffer<?> }"
    access = "word.store %c7, %b[%i] : i32, !word.buffer<?>\nfunc.return %c : i32"
    endless = """scf.while : () -> () { scf.condition(%t) } do { scf.yield }"""
    pause = "word.pause"
    _, after = converted(f"{branch}\n{access}")
    assert branches(after) == 0
    for between in (endless, pause):
        _, after = converted(f"{branch}\n{between}\n{access}")
        assert branches(after) == 1


def test_words_around_the_end_of_a_buffer_are_not_between():
    """Accesses at i and at i + 2^31 do not make all between valid, if both are."""
    body = """%far = word.constant -2147483648 : i32
      %j = word.add %i, %far : i32
      %k = word.add %i, %c7 : i32
      word.store %c, %b[%i] : i32, !word.buffer<?>
      word.store %c, %b[%j] : i32, !word.buffer<?>
      scf.if %t { word.store %c, %b[%k] : i32, !word.buffer<?> }
      func.return %c : i32"""
    _, after = converted(body)
    assert branches(after) == 1


def many_branches(count):
    lines = []
    for n in range(count):
        lines += [
            f"%k{n} = word.add %i, %v{n} : i32",
            f"%v{n + 1} = scf.if %t -> (i32) {{",
            f"  %s{n} = word.add %v{n}, %c1 : i32",
            f"  word.store %s{n}, %b[%i] : i32, !word.buffer<?>",
            f"  scf.yield %s{n} : i32",
            "} else {",
            f"  scf.yield %k{n} : i32",
            "}",
        ]
    text = f"""func.func @k(%b: !word.buffer<?>, %i: i32, %v0: i32) -> i32
      attributes {{vliw.signature = (memref<?xi32>, i32, i32) -> i32}} {{
      %c1 = word.constant 1 : i32
      %t = word.test %i
      %l = word.load %b[%i] : !word.buffer<?> -> i32
      {chr(10).join(lines)}
      func.return %v{count} : i32
    }}"""
    return parse_module(make_context(), text, "k.mlir")


def test_many_branches_take_linear_time():
    def prepare(count):
        module = many_branches(count)
        return lambda: IfConversion().apply(Context(), module)

    assert growth(prepare, 60) < 5
