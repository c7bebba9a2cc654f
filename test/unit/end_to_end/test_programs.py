"""Programs as people write them, of all dialects; what to expect was computed in Python."""

from pathlib import Path

import pytest

import vliw_mlir
from vliw_mlir.abi.datafile import load_cases
from vliw_mlir.target import Target

PROGRAMS = Path(__file__).parent / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.mlir"))
MACHINES = Path(__file__).parents[2] / "support" / "machines"


@pytest.mark.parametrize(
    ("machine", "level"), [("default", "-O0"), ("default", "-O2"), ("tiny-scratch", "-O2")]
)
@pytest.mark.parametrize("name", NAMES)
def test_program_gives_what_is_expected(name, machine, level):
    target = None if machine == "default" else Target.load(MACHINES / f"{machine}.toml")
    program = vliw_mlir.compile_file(PROGRAMS / f"{name}.mlir", level, target)
    for case in load_cases(PROGRAMS / f"{name}.json"):
        result = program.run(*case.args, step_limit=1_000_000)
        assert case.mismatches(result.image) == []
