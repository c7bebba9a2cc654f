"""derive-vector-constants keeps what programs do."""

import pytest

from support import differential

BEFORE = "simplify,vectorize-loops,unroll-loops,simplify"


@pytest.mark.parametrize("name", ["find_max_index", "crc32_streams", "spmv_csr", "murmur3_batch"])
def test_kernels(name):
    pipeline = f"{BEFORE},derive-vector-constants"
    assert differential.difference(differential.kernel(name), pipeline) is None


@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed):
    pipeline = f"{BEFORE},derive-vector-constants"
    assert differential.difference(differential.loops(seed), pipeline) is None
    assert differential.difference(differential.native(seed), "derive-vector-constants") is None
