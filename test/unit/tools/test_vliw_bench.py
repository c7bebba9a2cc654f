"""`vliw-bench`: figures, comparison with an earlier run, wrong results."""

import json

import pytest

from vliw_mlir.tools.vliw_bench import main

KERNEL = """\
func.func @twice(%m: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %m[%i] : memref<8xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %m[%i] : memref<8xi32>
  }
  return
}
"""
WORDS = list(range(8))
CASE = {"args": [WORDS], "results": [], "expected": [[2 * word for word in WORDS]]}


@pytest.fixture
def kernel(tmp_path):
    (tmp_path / "twice.mlir").write_text(KERNEL)
    write_data(tmp_path, CASE)
    return tmp_path


def write_data(path, *cases):
    data = {"kernel": "twice", "description": "", "cases": cases}
    (path / "twice.json").write_text(json.dumps(data))


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_measures_each_level(kernel, capsys):
    status, out, _ = run(capsys, kernel, "-O0", "-O2", "--json", "-")
    assert status == 0
    slow, fast = json.loads(out)["measurements"]
    assert (slow["level"], fast["level"]) == ("-O0", "-O2")
    assert slow["cycles"] > fast["cycles"] >= fast["bound"] > 0
    assert slow["problem"] is None


def test_all_levels_by_default(kernel, capsys):
    status, out, _ = run(capsys, kernel / "twice.mlir")
    assert status == 0
    assert [line.split()[1] for line in out.splitlines()[1:]] == ["-O0", "-O1", "-O2", "-O3"]


def test_tells_wrong_results(kernel, capsys):
    write_data(kernel, CASE, {**CASE, "expected": [WORDS]})
    status, out, err = run(capsys, kernel, "-O0")
    assert status == 1
    assert "WRONG" in out
    assert "twice -O0: case 1:" in err


def test_tells_what_does_not_compile(kernel, capsys):
    (kernel / "twice.mlir").write_text("func.func @twice(%m: memref<8xf32>) { return }")
    status, out, err = run(capsys, kernel, "-O0")
    assert status == 1
    assert "WRONG" in out
    assert "f32" in err


def test_compares_with_an_earlier_run(kernel, capsys):
    figures = kernel / "figures.json"
    assert run(capsys, kernel, "-O0", "--json", figures)[0] == 0
    status, out, _ = run(capsys, kernel, "-O0", "--compare", figures)
    assert status == 0
    assert "+0.0%" in out
    better = json.loads(figures.read_text())
    better["measurements"][0]["cycles"] -= 1
    figures.write_text(json.dumps(better))
    status, _, err = run(capsys, kernel, "-O0", "--compare", figures)
    assert status == 1
    assert "before" in err


@pytest.mark.parametrize("figures", ["", "[]", "{}", '{"measurements": [1]}'])
def test_refuses_malformed_figures(kernel, capsys, figures):
    (kernel / "figures.json").write_text(figures)
    status, _, err = run(capsys, kernel, "-O0", "--compare", kernel / "figures.json")
    assert status == 1
    assert "cannot read figures" in err


def test_refuses_paths_without_kernels(tmp_path, capsys):
    status, _, err = run(capsys, tmp_path)
    assert status == 1
    assert "no kernel" in err


def test_bounds_of_loops_whose_trips_depend_on_data(kernel, capsys):
    """There the bound of the schedule is what cycles are compared with."""
    dynamic = KERNEL.replace("%m: memref<8xi32>", "%m: memref<8xi32>, %n: index").replace(
        "to %c8", "to %n"
    )
    (kernel / "twice.mlir").write_text(dynamic)
    write_data(kernel, {**CASE, "args": [WORDS, 8], "expected": [[2 * w for w in WORDS], None]})
    status, out, _ = run(capsys, kernel, "-O2", "--json", "-")
    (figures,) = json.loads(out)["measurements"]
    assert (status, figures["bound"]) == (0, None)
    assert figures["cycles"] >= figures["schedule_bound"] > 0


def test_each_kernel_and_level_once(kernel, capsys):
    _, out, _ = run(capsys, kernel, kernel / "twice.mlir", "-O0", "-O0")
    assert len(out.splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "there is no "),
        ("empty", "no kernel with a data file beside it"),
        ("twice.json", "it is no kernel with a data file beside it"),
    ],
)
def test_paths_without_kernels(kernel, capsys, name, message):
    (kernel / "empty").mkdir()
    status, out, err = run(capsys, kernel / name)
    assert (status, out) == (1, "")
    assert message in err
    assert str(kernel / name) in err


def test_figures_are_shown_even_if_they_cannot_be_written(kernel, capsys):
    status, out, err = run(capsys, kernel, "-O0", "--json", kernel / "none" / "figures.json")
    assert status == 1
    assert "twice" in out
    assert "cannot write" in err


@pytest.mark.parametrize("text", ["", "[]", '{"measurements": 3}', '{"measurements": [{}]}'])
def test_malformed_figures(kernel, capsys, text):
    (kernel / "figures.json").write_text(text)
    status, _, err = run(capsys, kernel, "-O0", "--compare", kernel / "figures.json")
    assert status == 1
    assert "cannot read figures" in err


def test_means_of_several_kernels(kernel, capsys):
    for suffix in ("mlir", "json"):
        (kernel / f"again.{suffix}").write_text((kernel / f"twice.{suffix}").read_text())
    figures = kernel / "figures.out"
    _, out, _ = run(capsys, kernel, "-O0", "--json", figures)
    rows = [line.split() for line in out.splitlines()]
    ratio = rows[0].index("ratio")
    assert [row[0] for row in rows[1:]] == ["again", "twice", "mean"]
    assert rows[3][2] == rows[1][ratio] == rows[2][ratio]
    _, out, _ = run(capsys, kernel, "-O0", "--compare", figures)
    assert out.splitlines()[-1].split()[:3] == ["mean", "-O0", "+0.0%"]
