"""Simplifying blocks, and constants through them, keep what programs do."""

import pytest
from xdsl.context import Context

from support.differential import KERNEL_NAMES, difference, kernel, loops, native, standard
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.simplify_cfg import SimplifyCfg
from vliw_mlir.verifier import verify

PIPELINES = [
    "convert-word-scf-to-cf,simplify-cfg",
    "convert-word-scf-to-cf,sccp,simplify-cfg,simplify,simplify-cfg",
    "sccp,simplify",
]


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    subject = kernel(name)
    for pipeline in PIPELINES:
        assert difference(subject, pipeline) is None


@pytest.mark.parametrize("seed", range(5))
def test_random_programs(seed):
    for subject in (standard(seed), native(seed), loops(seed)):
        for pipeline in PIPELINES:
            assert difference(subject, pipeline) is None


def simplified(text):
    module = parse_module(make_context(), text, "k.mlir")
    SimplifyCfg().apply(Context(), module)
    verify(module)
    once = str(module)
    SimplifyCfg().apply(Context(), module)
    assert str(module) == once
    (func,) = module.ops
    return list(func.body.blocks)


def test_a_long_chain_becomes_one_block():
    length = 300
    blocks = "".join(
        f"^b{n}(%x{n}: i32):\n word.trace_write %x{n}\n cf.br ^b{n + 1}(%x{n} : i32)\n"
        for n in range(length)
    )
    text = f"""func.func @k(%x: i32) {{
      cf.br ^b0(%x : i32)
      {blocks}
    ^b{length}(%y: i32):
      func.return
    }}"""
    (block,) = simplified(text)
    assert len(list(block.ops)) == length + 1


def test_a_chain_of_empty_blocks_is_skipped():
    blocks = "".join(f"^b{n}:\n cf.br ^b{n + 1}\n" for n in range(100))
    text = f"""func.func @k(%c: i1, %x: i32) {{
      cf.cond_br %c, ^b0, ^b100
      {blocks}
    ^b100:
      func.return
    }}"""
    assert len(simplified(text)) == 1


def test_values_of_a_block_that_are_used_later_keep_it():
    text = """func.func @k(%c: i1, %x: i32, %y: i32) {
      cf.cond_br %c, ^m(%x : i32), ^n
    ^n:
      word.trace_write %x
      cf.br ^m(%y : i32)
    ^m(%v: i32):
      cf.br ^e
    ^e:
      word.trace_write %v
      func.return
    }"""
    assert len(simplified(text)) == 3
