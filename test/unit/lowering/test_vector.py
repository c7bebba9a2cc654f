"""Conversion of `vector`, compared with Python lists."""

from __future__ import annotations

from functools import reduce

import pytest

from support.standard import array, convert, run
from vliw_mlir.errors import CompileError, TrapError

TOP = 1 << 32


def kernel(body: str, size: int = 16) -> str:
    """A kernel with a vector `%v` at the start of `%a`, and an index and a word as arguments."""
    return f"""
    func.func @f(%out: memref<{size}xi32>, %a: memref<{size}xi32>, %i: index, %x: i32) {{
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %v = vector.load %a[%c0] : memref<{size}xi32>, vector<4xi32>
      {body}
      return
    }}"""


def results(body: str, i: int = 0, x: int = 0, a: range | list[int] = range(10, 26)) -> list[int]:
    """The words of `%out` after `kernel`."""
    out = array(run(kernel(body), [0] * 16, list(a), i, x), 0).tolist()
    while out and out[-1] == 0:
        out.pop()
    return out


def stored(value: str, lanes: int) -> str:
    return f"vector.store {value}, %out[%c0] : memref<16xi32>, vector<{lanes}xi32>"


def test_load_and_store():
    body = """
    %w = vector.load %a[%i] : memref<16xi32>, vector<3xi32>
    vector.store %w, %out[%i] : memref<16xi32>, vector<3xi32>
    """
    assert results(body, 5) == [0] * 5 + [15, 16, 17]


def test_broadcast():
    body = f"""
    %w = vector.broadcast %x : i32 to vector<4xi32>
    %one = vector.broadcast %x : i32 to vector<1xi32>
    %u = vector.broadcast %one : vector<1xi32> to vector<4xi32>
    %s = vector.splat %x : vector<4xi32>
    %t = arith.addi %w, %u : vector<4xi32>
    %r = arith.addi %s, %t : vector<4xi32>
    %q = vector.broadcast %r : vector<4xi32> to vector<4xi32>
    {stored("%q", 4)}
    """
    assert results(body, x=3) == [9] * 4


def test_fixed_lanes():
    body = f"""
    %e = vector.extract %v[2] : i32 from vector<4xi32>
    %p = arith.constant 1 : i32
    %f = vector.extractelement %v[%p : i32] : vector<4xi32>
    %w = vector.insert %e, %v[0] : i32 into vector<4xi32>
    %u = vector.insertelement %f, %w[%p : i32] : vector<4xi32>
    %whole = vector.extract %u[] : vector<4xi32> from vector<4xi32>
    %r = vector.insert %x, %whole[3] : i32 into vector<4xi32>
    {stored("%r", 4)}
    """
    assert results(body, x=5) == [12, 11, 12, 5]


def test_computed_lanes():
    body = f"""
    %e = vector.extract %v[%i] : i32 from vector<4xi32>
    %w = vector.insert %x, %v[%i] : i32 into vector<4xi32>
    %f = vector.extractelement %w[%i : index] : vector<4xi32>
    %u = vector.insertelement %e, %w[%i : index] : vector<4xi32>
    %y:4 = vector.to_elements %w : vector<4xi32>
    %r = vector.from_elements %y#0, %y#1, %y#2, %y#3, %e, %f : vector<6xi32>
    {stored("%r", 6)}
    """
    for lane in range(4):
        lanes = [10, 11, 12, 13]
        lanes[lane] = 5
        assert results(body, lane, 5) == [*lanes, 10 + lane, 5]


def test_a_lane_outside_harms_nothing():
    body = f"""
    %e = vector.extract %v[%i] : i32 from vector<4xi32>
    %w = vector.insert %x, %v[%i] : i32 into vector<4xi32>
    {stored("%w", 4)}
    """
    assert results(body, TOP - 1, 5) == [10, 11, 12, 13]


def test_rearranging():
    body = f"""
    %w = vector.load %a[%c4] : memref<16xi32>, vector<3xi32>
    %s = vector.shuffle %v, %w [6, 0, 4, 4, 3] : vector<4xi32>, vector<3xi32>
    %t = vector.extract_strided_slice %s {{offsets = [1], sizes = [3], strides = [1]}}
      : vector<5xi32> to vector<3xi32>
    %u = vector.insert_strided_slice %t, %v {{offsets = [1], strides = [1]}}
      : vector<3xi32> into vector<4xi32>
    %c = vector.shape_cast %u : vector<4xi32> to vector<4xi32>
    %d = vector.transpose %c, [0] : vector<4xi32> to vector<4xi32>
    %b = vector.bitcast %d : vector<4xi32> to vector<4xi32>
    %r = vector.shuffle %b, %s [0, 1, 2, 3, 4, 5, 6, 7, 8]
      : vector<4xi32>, vector<5xi32>
    {stored("%r", 9)}
    """
    assert results(body) == [10, 10, 14, 14, 16, 10, 14, 14, 13]


def test_reduction_of_no_dimension():
    body = f"""
    %w = vector.broadcast %x : i32 to vector<4xi32>
    %r = vector.multi_reduction <maxui>, %v, %w [] : vector<4xi32> to vector<4xi32>
    {stored("%r", 4)}
    """
    assert results(body, x=12) == [12, 12, 12, 13]


REDUCTIONS = {
    "add": lambda a, b: (a + b) & 255,
    "mul": lambda a, b: (a * b) & 255,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "minui": min,
    "maxui": max,
    "minsi": lambda a, b: a if (a ^ 128) < (b ^ 128) else b,
    "maxsi": lambda a, b: a if (a ^ 128) > (b ^ 128) else b,
}


@pytest.mark.parametrize("lanes", [1, 5, 8])
def test_reduction(lanes: int):
    lines = [
        f"%r{n} = vector.reduction <{kind}>, %v : vector<{lanes}xi8> into i8\n"
        f"%s{n} = vector.reduction <{kind}>, %v, %x : vector<{lanes}xi8> into i8\n"
        f"%t{n} = vector.multi_reduction <{kind}>, %v, %x [0] : vector<{lanes}xi8> to i8"
        for n, kind in enumerate(REDUCTIONS)
    ]
    names = [f"%{c}{n}" for c in "rst" for n in range(len(REDUCTIONS))]
    text = f"""
    func.func @f(%a: memref<{lanes}xi8>, %x: i8) -> ({", ".join(["i8"] * len(names))}) {{
      %c0 = arith.constant 0 : index
      %v = vector.load %a[%c0] : memref<{lanes}xi8>, vector<{lanes}xi8>
      {chr(10).join(lines)}
      return {", ".join(names)} : {", ".join(["i8"] * len(names))}
    }}"""
    values, x = [200, 100, 3, 255, 128, 127, 77, 201][:lanes], 130
    plain = [reduce(f, values) for f in REDUCTIONS.values()]
    with_x = [reduce(f, [*values, x]) for f in REDUCTIONS.values()]
    assert run(text, values, x).results() == [*plain, *with_x, *with_x]


def test_masks():
    body = """
    %m = vector.create_mask %i : vector<4xi1>
    %w = arith.extui %m : vector<4xi1> to vector<4xi32>
    vector.store %w, %out[%c0] : memref<16xi32>, vector<4xi32>
    %k = vector.constant_mask [3] : vector<4xi1>
    %l = arith.extsi %k : vector<4xi1> to vector<4xi32>
    vector.store %l, %out[%c4] : memref<16xi32>, vector<4xi32>
    %s = vector.step : vector<4xindex>
    %t = arith.index_cast %s : vector<4xindex> to vector<4xi32>
    vector.store %t, %out[%c8] : memref<16xi32>, vector<4xi32>
    """
    tail = [TOP - 1] * 3 + [0, 0, 1, 2, 3]
    for size, mask in ((0, 0), (1, 1), (3, 3), (4, 4), (9, 4), (TOP - 3, 0)):
        assert results(body, size) == [1] * mask + [0] * (4 - mask) + tail


MASKED = """
    %m = vector.create_mask %i : vector<4xi1>
    %w = vector.maskedload %a[%c8], %m, %v
      : memref<16xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    vector.maskedstore %out[%c4], %m, %w : memref<16xi32>, vector<4xi1>, vector<4xi32>
    %all = arith.constant dense<true> : vector<4xi1>
    %u = vector.maskedload %a[%c8], %all, %v
      : memref<16xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    vector.maskedstore %out[%c8], %all, %u : memref<16xi32>, vector<4xi1>, vector<4xi32>
    vector.store %w, %out[%c0] : memref<16xi32>, vector<4xi32>
    """


def test_masked_accesses():
    for size in range(5):
        loaded = [18, 19, 20, 21][:size]
        expected = [*loaded, *[10, 11, 12, 13][size:], *loaded, *[0] * (4 - size), 18, 19, 20, 21]
        assert results(MASKED, size) == expected


def test_masked_lanes_touch_no_memory():
    body = """
    %m = vector.create_mask %i : vector<4xi1>
    %far = arith.constant 1000000 : index
    %w = vector.maskedload %a[%far], %m, %v
      : memref<16xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    vector.maskedstore %out[%far], %m, %w : memref<16xi32>, vector<4xi1>, vector<4xi32>
    vector.store %w, %out[%c0] : memref<16xi32>, vector<4xi32>
    """
    assert results(body, 0) == [10, 11, 12, 13]
    with pytest.raises(TrapError):
        results(body, 1)


def test_gather_and_scatter():
    body = """
    %ix = arith.constant dense<[3, 0, 5, 3]> : vector<4xindex>
    %m = vector.create_mask %i : vector<4xi1>
    %all = vector.constant_mask [4] : vector<4xi1>
    %g = vector.gather %a[%c4][%ix], %all, %v
      : memref<16xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    %h = vector.gather %a[%c4][%ix], %m, %v
      : memref<16xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    %w = vector.shuffle %g, %h [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi32>, vector<4xi32>
    vector.store %w, %out[%c0] : memref<16xi32>, vector<8xi32>
    vector.scatter %out[%c8][%ix], %m, %v
      : memref<16xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32>
    """
    whole, other = [17, 14, 19, 17], [10, 11, 12, 13]
    for size in range(5):
        scattered = [0] * 6
        for lane in range(size):
            scattered[[3, 0, 5, 3][lane]] = other[lane]
        expected = [*whole, *whole[:size], *other[size:], *scattered]
        while expected[-1] == 0:
            expected.pop()
        assert results(body, size) == expected


def test_signed_byte_indices():
    text = """
    func.func @f(%m: memref<4x8xi32>, %ix: memref<4xi8>, %out: memref<4xi32>, %row: index) {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %i = vector.load %ix[%c0] : memref<4xi8>, vector<4xi8>
      %mask = arith.constant dense<true> : vector<4xi1>
      %zero = arith.constant dense<0> : vector<4xi32>
      %w = vector.gather %m[%row, %c4][%i], %mask, %zero
        : memref<4x8xi32>, vector<4xi8>, vector<4xi1>, vector<4xi32> into vector<4xi32>
      vector.store %w, %out[%c0] : memref<4xi32>, vector<4xi32>
      return
    }"""
    image = run(text, range(32), [255, 0, 3, 252], [0] * 4, 2)
    assert array(image, 2).tolist() == [19, 20, 23, 16]


TRANSFER = """
    func.func @f(%m: memref<4x6xi32>, %out: memref<4x6xi32>, %i: index, %j: index) {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %pad = arith.constant 99 : i32
      %v = vector.transfer_read %m[%i, %j], %pad {in_bounds = [BOUNDS]}
        : memref<4x6xi32>, vector<4xi32>
      vector.transfer_write %v, %out[%c3, %j] {in_bounds = [BOUNDS]}
        : vector<4xi32>, memref<4x6xi32>
      %mask = vector.constant_mask [2] : vector<4xi1>
      %w = vector.transfer_read %m[%i, %j], %pad, %mask {in_bounds = [BOUNDS]}
        : memref<4x6xi32>, vector<4xi32>
      %c1 = arith.constant 1 : index
      vector.transfer_write %w, %out[%c0, %c1] : vector<4xi32>, memref<4x6xi32>
      vector.transfer_write %v, %out[%c1, %j], %mask {in_bounds = [BOUNDS]}
        : vector<4xi32>, memref<4x6xi32>
      return
    }"""


@pytest.mark.parametrize("column", range(-5, 8))
def test_transfers_beyond_the_end(column: int):
    text = TRANSFER.replace("BOUNDS", "false")
    check_transfers(text, column)


def test_transfers_in_bounds():
    text = TRANSFER.replace("BOUNDS", "true")
    # Only the two transfers with a mask go lane by lane.
    assert [op.name for op in convert(text).walk()].count("scf.if") == 8
    for column in range(3):
        check_transfers(text, column)


def check_transfers(text: str, column: int) -> None:
    image = run(text, range(24), [0] * 24, 2, column % TOP)
    read = [12 + c if 0 <= c < 6 else 99 for c in range(column, column + 4)]
    out = [[0] * 6 for _ in range(4)]
    out[0][1:5] = [*read[:2], 99, 99]
    for lane, value in enumerate(read):
        if 0 <= column + lane < 6:
            out[3][column + lane] = value
            if lane < 2:
                out[1][column + lane] = value
    assert array(image, 1).reshape(4, 6).tolist() == out


def test_transfer_along_a_stride():
    text = """
    func.func @f(%m: memref<4x6xi32>, %out: memref<4x6xi32>, %j: index) {
      %c0 = arith.constant 0 : index
      %pad = arith.constant 0 : i32
      %a = memref.subview %m[0, %j] [4, 1] [1, 1]
        : memref<4x6xi32> to memref<4xi32, strided<[6], offset: ?>>
      %b = memref.subview %out[0, %j] [4, 1] [1, 1]
        : memref<4x6xi32> to memref<4xi32, strided<[6], offset: ?>>
      %v = vector.transfer_read %a[%c0], %pad
        : memref<4xi32, strided<[6], offset: ?>>, vector<4xi32>
      vector.transfer_write %v, %b[%c0]
        : vector<4xi32>, memref<4xi32, strided<[6], offset: ?>>
      return
    }"""
    image = run(text, range(24), [0] * 24, 4)
    assert array(image, 1).reshape(4, 6)[:, 4].tolist() == [4, 10, 16, 22]
    assert array(image, 1).sum() == 52


ERRORS = {
    "two dimensions": (
        "%r = vector.broadcast %x : i32 to vector<2x2xi32>",
        "vector<2x2xi32>: only vectors of one fixed dimension are supported",
    ),
    "scalable": (
        "%r = vector.broadcast %x : i32 to vector<[4]xi32>",
        "only vectors of one fixed dimension are supported",
    ),
    "element type": (
        "%r = arith.constant dense<1> : vector<4xi64>",
        "i64 is not supported",
    ),
    "lane": (
        "%r = vector.extract %v[4] : i32 from vector<4xi32>",
        "there is no lane 4 in a vector of 4 lanes",
    ),
    "broadcast": (
        "%r = vector.broadcast %v : vector<4xi32> to vector<8xi32>",
        "cannot broadcast vector<4xi32> to vector<8xi32>",
    ),
    "stride": (
        "%m = memref.alloc() : memref<4xi32, strided<[2]>>\n"
        "%r = vector.load %m[%i] : memref<4xi32, strided<[2]>>, vector<2xi32>",
        "a vector access needs an innermost stride of 1",
    ),
    "bitcast": (
        "%r = vector.bitcast %v : vector<4xi32> to vector<8xi16>",
        "cannot bitcast vector<4xi32> to vector<8xi16>: the widths differ",
    ),
    "kind": (
        "%r = vector.reduction <minnumf>, %v : vector<4xi32> into i32",
        "a reduction of kind minnumf is not supported on vector<4xi32>",
    ),
    "print": ('"vector.print"(%v) : (vector<4xi32>) -> ()', "'vector.print' is not supported"),
    "permutation": (
        "%m = memref.alloc() : memref<4x4xi32>\n"
        "%r = vector.transfer_read %m[%i, %i], %x {permutation_map = affine_map<(i, j) -> (i)>}"
        " : memref<4x4xi32>, vector<4xi32>",
        "is supported along the innermost dimension only",
    ),
    "unknown size": (
        "%m = scf.execute_region -> (memref<?xi32>) {\n"
        "%w = memref.cast %a : memref<16xi32> to memref<?xi32>\n"
        "scf.yield %w : memref<?xi32>\n}\n"
        "%r = vector.transfer_read %m[%i], %x : memref<?xi32>, vector<4xi32>",
        "the innermost size is not known; mark the transfer as in_bounds = [true]",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str):
    body, message = ERRORS[name]
    text = kernel(body)
    with pytest.raises(CompileError) as error:
        convert(text)
    assert message in error.value.message
    line = text[: text.index(body)].count("\n") + body.count("\n") + 1
    assert error.value.location is not None
    assert error.value.location.startswith(f"<string>:{line}:")
