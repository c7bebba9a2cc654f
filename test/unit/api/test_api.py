"""Compiling and running from Python."""

import numpy as np
import pytest
from xdsl.passes import ModulePass

import vliw_mlir
from vliw_mlir.api import parse_pipeline
from vliw_mlir.source import make_context, parse_module

SCALE = """
func.func @scale(%a: i32, %x: memref<4xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<4xi32>
    %p = arith.muli %v, %a : i32
    memref.store %p, %x[%i] : memref<4xi32>
    %t = arith.addi %s, %p : i32
    scf.yield %t : i32
  }
  return %sum : i32
}
"""
TO_SSA = "inline-calls,convert-std-to-kernel,convert-kernel-to-word"
TO_BUNDLES = "convert-word-scf-to-cf,legalize-vectors,expand-word-ops,convert-word-to-vliw"


def check(result):
    assert result.results == [30]
    assert result.outputs[0] is None
    assert result.outputs[1].tolist() == [3, 6, 9, 12]
    assert result.cycles == result.stats.cycles > 0


@pytest.mark.parametrize("pipeline", ["-O0", "-O1", "-O2", "-O3", f"{TO_SSA},{TO_BUNDLES}"])
def test_compile_and_run(pipeline):
    check(vliw_mlir.compile(SCALE, pipeline).run(3, np.array([1, 2, 3, 4])))


def test_arguments_may_be_lists():
    check(vliw_mlir.compile(SCALE).run(3, [1, 2, 3, 4]))


def test_a_module_is_left_as_it_is():
    module = parse_module(make_context(), SCALE)
    before = str(module)
    check(vliw_mlir.compile(module).run(3, [1, 2, 3, 4]))
    assert str(module) == before


def test_pipelines_compose_of_passes():
    passes = parse_pipeline("-O0")
    assert all(isinstance(p, ModulePass) for p in passes)
    assert [p.name for p in parse_pipeline(f"{TO_SSA},-O0")][-len(passes) :] == [
        p.name for p in passes
    ]
    check(vliw_mlir.compile(SCALE, passes).run(3, [1, 2, 3, 4]))


def test_program_files(tmp_path):
    path = tmp_path / "scale.json"
    vliw_mlir.compile(SCALE).save(path)
    check(vliw_mlir.Program.load(path).run(3, [1, 2, 3, 4]))


def test_target_by_object_and_by_file(tmp_path):
    path = tmp_path / "narrow.toml"
    path.write_text('name = "narrow"\nvlen = 4\nengines.alu = 1\n')
    by_file = vliw_mlir.compile(SCALE, target=path)
    assert (by_file.target.name, by_file.target.vlen) == ("narrow", 4)
    by_object = vliw_mlir.compile(SCALE, target=vliw_mlir.Target.load(path))
    assert by_object.bundles == by_file.bundles
    check(by_file.run(3, [1, 2, 3, 4]))


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("convert-word-to-vilw", "did you mean 'convert-word-to-vliw'"),
        ("convert-word-to-vliw{max-bundle=3}", "did you mean 'max-bundles'"),
        ("convert-std-to-kernel", "not at the bundle level"),
        ("inline-calls,convert-std-to-kernel,convert-word-to-vliw", "run the conversions"),
    ],
)
def test_wrong_pipelines(pipeline, message):
    with pytest.raises(vliw_mlir.CompileError, match=message):
        vliw_mlir.compile(SCALE, pipeline)


def test_errors_name_the_place():
    text = SCALE.replace("arith.muli %v, %a : i32", "arith.muli %v, %v : i64")
    with pytest.raises(vliw_mlir.CompileError, match=r"^k\.mlir:9:"):
        vliw_mlir.compile(text, name="k.mlir")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((3,), "takes 2 arguments, 1 given"),
        ((3, [1, 2, 3]), "argument 1: expected 4 words, 3 given"),
        ((3, 7), "argument 1: expected an array"),
        (([1], [1, 2, 3, 4]), "argument 0: expected one integer"),
        ((3.5, [1, 2, 3, 4]), "argument 0: values must be integers"),
        ((1 << 32, [1, 2, 3, 4]), "argument 0: 4294967296 does not fit in 32 bits"),
    ],
)
def test_wrong_arguments(args, message):
    with pytest.raises(vliw_mlir.CompileError, match=message):
        vliw_mlir.compile(SCALE).run(*args)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'complie'"):
        _ = vliw_mlir.complie
