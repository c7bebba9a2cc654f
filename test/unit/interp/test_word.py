"""Every op of the SSA level."""

from __future__ import annotations

import pytest

from vliw_mlir.dialects.word import Word
from vliw_mlir.interp.word import EMITTERS

from .helpers import COMPARISONS, EXPECTED, M32, WORDS, kernel, operands_of, results, run


def test_every_op_has_an_emitter():
    assert set(EMITTERS) == set(Word.operations)


def _spelling(name: str) -> str:
    return f"word.cmp {name}," if name in COMPARISONS else f"word.{name}"


@pytest.mark.parametrize("name", EXPECTED)
def test_binary_on_words(name: str):
    pairs = operands_of(name)
    n = len(pairs)
    text = kernel(
        f"{n} {n} {n}",
        f"""
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %n = word.constant {n} : i32
        scf.for %i = %c0 to %n step %c1 : i32 {{
          %x = word.load %a[%i] : !word.buffer<{n}> -> i32
          %y = word.load %b[%i] : !word.buffer<{n}> -> i32
          %z = {_spelling(name)} %x, %y : i32
          word.store %z, %c[%i] : i32, !word.buffer<{n}>
        }}
        func.return""",
    )
    image = run(text, [a for a, _ in pairs], [b for _, b in pairs], [0] * n)
    assert image.array(2).tolist() == [EXPECTED[name](a, b) & M32 for a, b in pairs]


@pytest.mark.parametrize("name", EXPECTED)
def test_binary_on_vectors(name: str):
    pairs = operands_of(name)
    n = len(pairs)
    text = kernel(
        f"{n} {n} {n}",
        f"""
        %c0 = word.constant 0 : i32
        %x = word.load %a[%c0] : !word.buffer<{n}> -> vector<{n}xi32>
        %y = word.load %b[%c0] : !word.buffer<{n}> -> vector<{n}xi32>
        %z = {_spelling(name)} %x, %y : vector<{n}xi32>
        word.store %z, %c[%c0] : vector<{n}xi32>, !word.buffer<{n}>
        func.return""",
    )
    image = run(text, [a for a, _ in pairs], [b for _, b in pairs], [0] * n)
    assert image.array(2).tolist() == [EXPECTED[name](a, b) & M32 for a, b in pairs]


@pytest.mark.parametrize("name", EXPECTED)
def test_binary_on_literals(name: str):
    """Constants are literals in the generated source; they must bind as tightly as names."""
    pairs = operands_of(name)[::7]
    lines = ["%n = word.constant 0 : i32"]
    for i, (a, b) in enumerate(pairs):
        lines += [
            f"%x{i} = word.constant {a} : i32",
            f"%y{i} = word.constant {b} : i32",
            f"%z{i} = {_spelling(name)} %x{i}, %y{i} : i32",
            f"%i{i} = word.constant {i} : i32",
            f"word.store %z{i}, %a[%i{i}] : i32, !word.buffer<{len(pairs)}>",
        ]
    text = kernel(str(len(pairs)), "\n".join([*lines, "func.return"]))
    image = run(text, [0] * len(pairs))
    assert image.array(0).tolist() == [EXPECTED[name](a, b) & M32 for a, b in pairs]


TRIPLES = [(a, b, c) for a in WORDS[::2] for b in WORDS[::3] for c in WORDS[1::3]]


@pytest.mark.parametrize("type", ["i32", "vector<1xi32>"])
def test_select_and_multiply_add(type: str):
    n = len(TRIPLES)
    text = kernel(
        f"{n} {n} {n} {n} {n}",
        f"""
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %n = word.constant {n} : i32
        scf.for %i = %c0 to %n step %c1 : i32 {{
          %x = word.load %a[%i] : !word.buffer<{n}> -> {type}
          %y = word.load %b[%i] : !word.buffer<{n}> -> {type}
          %z = word.load %c[%i] : !word.buffer<{n}> -> {type}
          %s = word.select %x, %y, %z : {type}
          %m = word.multiply_add %x, %y, %z : {type}
          word.store %s, %d[%i] : {type}, !word.buffer<{n}>
          word.store %m, %e[%i] : {type}, !word.buffer<{n}>
        }}
        func.return""",
    )
    columns = [[t[k] for t in TRIPLES] for k in range(3)]
    image = run(text, *columns, [0] * n, [0] * n)
    assert image.array(3).tolist() == [b if a else c for a, b, c in TRIPLES]
    assert image.array(4).tolist() == [(a * b + c) & M32 for a, b, c in TRIPLES]


def test_select_chooses_lane_by_lane():
    text = kernel(
        "4",
        """
        %c0 = word.constant 0 : i32
        %p = word.constant dense<[0, 5, -1, 0]> : vector<4xi32>
        %x = word.constant dense<[1, 2, 3, 4]> : vector<4xi32>
        %y = word.constant dense<9> : vector<4xi32>
        %z = word.select %p, %x, %y : vector<4xi32>
        word.store %z, %a[%c0] : vector<4xi32>, !word.buffer<4>
        func.return""",
    )
    assert run(text, [0] * 4).array(0).tolist() == [9, 2, 3, 9]


def test_vectors_from_words_and_back():
    text = kernel(
        "0 0 4",
        """
        %c0 = word.constant 0 : i32
        %v = word.from_elements %a, %b, %a, %b : vector<4xi32>
        %w = word.broadcast %b : vector<4xi32>
        %x = word.extract %v[2] : vector<4xi32>
        %y = word.insert %x, %w[1] : vector<4xi32>
        %z = word.extract %w[1] : vector<4xi32>
        word.store %y, %c[%c0] : vector<4xi32>, !word.buffer<4>
        func.return %x, %z : i32, i32""",
        "i32, i32",
    )
    image = run(text, 0xFFFFFFFF, 5, [0] * 4)
    assert image.array(2).tolist() == [5, 0xFFFFFFFF, 5, 5]
    assert image.results() == [0xFFFFFFFF, 5]


def test_accesses_wrap_their_address():
    """An offset may be negative: the address counts modulo 2^32."""
    text = kernel(
        "8 8",
        """
        %minus2 = word.constant -2 : i32
        %c4 = word.constant 4 : i32
        %tail = word.subbuffer %b[%c4] : !word.buffer<8> to !word.buffer<?>
        %head = word.subbuffer %tail[%minus2] : !word.buffer<?> to !word.buffer<?>
        %x = word.load %tail[%minus2] : !word.buffer<?> -> i32
        %v = word.load %tail[%minus2] : !word.buffer<?> -> vector<2xi32>
        %o = word.constant dense<[-2, 1]> : vector<2xi32>
        %g = word.gather %tail[%o] : !word.buffer<?> -> vector<2xi32>
        %zero = word.constant 0 : i32
        %y = word.load %head[%zero] : !word.buffer<?> -> i32
        word.store %x, %a[%zero] : i32, !word.buffer<8>
        %one = word.constant 1 : i32
        word.store %v, %a[%one] : vector<2xi32>, !word.buffer<8>
        %three = word.constant 3 : i32
        word.store %g, %a[%three] : vector<2xi32>, !word.buffer<8>
        word.scatter %o, %tail[%o] : vector<2xi32>, !word.buffer<?>
        func.return %y : i32""",
        "i32",
    )
    image = run(text, [0] * 8, list(range(10, 18)))
    assert image.array(0).tolist() == [12, 12, 13, 12, 15, 0, 0, 0]
    assert image.array(1).tolist() == [10, 11, 0xFFFFFFFE, 13, 14, 1, 16, 17]
    assert image.results() == [12]


def test_absolute_accesses():
    text = kernel(
        "4 4",
        """
        %base = word.address %a : !word.buffer<4>
        %c2 = word.constant 2 : i32
        %p = word.add %base, %c2 : i32
        %x = word.load %b[%p] absolute : !word.buffer<4> -> i32
        %v = word.load %b[%base] absolute : !word.buffer<4> -> vector<4xi32>
        %bases = word.broadcast %base : vector<2xi32>
        %o = word.constant dense<[3, 1]> : vector<2xi32>
        %q = word.add %bases, %o : vector<2xi32>
        %g = word.gather %b[%q] absolute : !word.buffer<4> -> vector<2xi32>
        %c0 = word.constant 0 : i32
        word.store %v, %b[%c0] : vector<4xi32>, !word.buffer<4>
        word.store %c0, %b[%p] absolute : i32, !word.buffer<4>
        word.store %g, %b[%base] absolute : vector<2xi32>, !word.buffer<4>
        word.scatter %g, %b[%q] absolute : vector<2xi32>, !word.buffer<4>
        func.return %x : i32""",
        "i32",
    )
    image = run(text, [1, 2, 3, 4], [0] * 4)
    assert image.results() == [3]
    assert image.array(0).tolist() == [4, 2, 0, 4]
    assert image.array(1).tolist() == [1, 2, 3, 4]


def test_last_lane_of_a_scatter_stays():
    text = kernel(
        "4",
        """
        %o = word.constant dense<[1, 2, 1, 1]> : vector<4xi32>
        %v = word.constant dense<[5, 6, 7, 8]> : vector<4xi32>
        word.scatter %v, %a[%o] : vector<4xi32>, !word.buffer<4>
        func.return""",
    )
    assert run(text, [0] * 4).array(0).tolist() == [0, 8, 6, 0]


def test_alloc_is_the_same_buffer_each_time():
    text = kernel(
        "0 2",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %c3 = word.constant 3 : i32
        %last:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %c0, %q = %c0)
            -> (i32, i32) : i32 {
          %kept = word.alloc : !word.buffer<2>
          %fresh = word.alloc init dense<[40, -1]> : vector<2xi32> : !word.buffer<2>
          %x = word.load %kept[%c1] : !word.buffer<2> -> i32
          %x1 = word.add %x, %a : i32
          word.store %x1, %kept[%c1] : i32, !word.buffer<2>
          %y = word.load %fresh[%c0] : !word.buffer<2> -> i32
          %y1 = word.add %y, %a : i32
          word.store %y1, %fresh[%c0] : i32, !word.buffer<2>
          %m1 = word.load %fresh[%c1] : !word.buffer<2> -> i32
          word.store %m1, %b[%c0] : i32, !word.buffer<2>
          scf.yield %x1, %y1 : i32, i32
        }
        func.return %last#0, %last#1 : i32, i32""",
        "i32, i32",
    )
    image = run(text, 10, [1, 1])
    kept, fresh = image.results()
    assert fresh == 50, "init is written each time"
    assert kept == 30, "the interpreter starts with zeros and keeps what was stored"
    assert image.array(1).tolist() == [0xFFFFFFFF, 1]


def test_allocs_do_not_overlap():
    text = kernel(
        "",
        """
        %x = word.alloc : !word.buffer<3>
        %y = word.alloc : !word.buffer<5>
        %z = word.alloc : !word.buffer<1>
        %p = word.address %x : !word.buffer<3>
        %q = word.address %y : !word.buffer<5>
        %r = word.address %z : !word.buffer<1>
        func.return %p, %q, %r : i32, i32, i32""",
        "i32, i32, i32",
    )
    image = run(text)
    p, q, r = image.results()
    assert len(image.memory) <= p
    assert (p + 3, q + 5) == (q, r)


def test_machine_ops():
    text = kernel(
        "0",
        """
        word.trace_write %a
        word.pause
        %i = word.core_id
        word.trace_write %i
        func.return %i : i32""",
        "i32",
    )
    assert results(text, 7) == [0]
