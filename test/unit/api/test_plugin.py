"""A package of somebody else's adds a dialect and a pass through its entry point."""

import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "support" / "plugin"

KERNEL = """
func.func @f(%x: i32) -> i32 {
  %y = example.twice %x
  func.return %y : i32
}
"""

COMPILE_AND_RUN = """
import sys, vliw_mlir
lowering = "convert-word-scf-to-cf,legalize-vectors,expand-word-ops,convert-word-to-vliw"
program = vliw_mlir.compile(sys.stdin.read(), f"lower-twice{{factor=3}},{lowering}")
print(program.run(14).results)
"""


@pytest.fixture
def installed(tmp_path):
    """A directory with the plug-in as `pip install` would leave it: module and metadata."""
    (tmp_path / "example_plugin.py").write_text((PLUGIN / "example_plugin.py").read_text())
    metadata = tmp_path / "vliw_mlir_example_plugin-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: vliw-mlir-example-plugin\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[xdsl.universe]\nexample_plugin = example_plugin:UNIVERSE\n"
    )
    return tmp_path


def run(installed, *command):
    environment = {"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, *command],
        input=KERNEL,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_api_sees_the_plugin(installed):
    done = run(installed, "-c", COMPILE_AND_RUN)
    assert (done.stdout, done.stderr, done.returncode) == ("[42]\n", "", 0)


def test_vliw_opt_sees_the_plugin(installed):
    done = run(installed, "-m", "vliw_mlir.tools.vliw_opt", "-p", "lower-twice{factor=5}")
    assert "word.constant 5 : i32" in done.stdout
    assert "example.twice" not in done.stdout
    assert (done.stderr, done.returncode) == ("", 0)


def test_without_the_plugin_its_pass_is_unknown(tmp_path):
    done = run(tmp_path, "-m", "vliw_mlir.tools.vliw_opt", "-p", "lower-twice")
    assert done.returncode == 2
    assert "unknown pass 'lower-twice'" in done.stderr
