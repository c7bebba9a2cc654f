"""The Python API: compile a kernel, run it, compose pipelines.

```python
import vliw_mlir

program = vliw_mlir.compile(text, "-O2")
result = program.run(16, np.arange(16), np.zeros(16, dtype=np.uint32))
print(result.cycles, result.outputs[2])
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vliw_mlir.dialects.facts import set_target
from vliw_mlir.errors import CompileError
from vliw_mlir.formats.vliw_json import program_op
from vliw_mlir.instrument import Instrument, phase, run_pipeline
from vliw_mlir.pipeline_parser import parse_passes
from vliw_mlir.pipelines import pipeline_text
from vliw_mlir.sim.program import Program
from vliw_mlir.source import make_context, multiverse, parse_module
from vliw_mlir.target import Target
from vliw_mlir.verifier import verify


def parse_pipeline(text: str) -> tuple[ModulePass, ...]:
    """The passes that a pipeline text names: `-O2`, or `pass,pass{option=1},…`.

    A level may be part of a longer text. Raises `CompileError` for unknown passes or options.
    """
    named = re.sub(r"-(O[0-3])(?=,|$)", lambda match: pipeline_text(match[1]), text.strip())
    return tuple(parse_passes(named, multiverse().all_passes))


def compile(
    source: ModuleOp | str,
    pipeline: str | Sequence[ModulePass] = "-O2",
    target: Target | str | Path | None = None,
    *,
    name: str = "<string>",
    instruments: Sequence[Instrument] = (),
) -> Program:
    """Compile one kernel to a program.

    `source` is MLIR text, or a module, which is left as it is. `pipeline` is a text (see
    `parse_pipeline`) or passes. `target` is a machine or the path of its description; it
    defaults to the module's own `vliw.target`, or else to the default machine. `name` is
    what messages call the text; `instruments` observe the passes.

    Raises `CompileError` for everything that is wrong with the input.
    """
    ctx = make_context()
    if isinstance(source, str):
        with phase("Parser"):
            module = parse_module(ctx, source, name)
    else:
        module = source.clone()
    if target is not None:
        set_target(module, target if isinstance(target, Target) else Target.load(target))
    passes = parse_pipeline(pipeline) if isinstance(pipeline, str) else tuple(pipeline)
    with phase("Verifier"):
        verify(module)
    run_pipeline(ctx, module, passes, instruments)
    with phase("Output"):
        verify(module)
        return program_op(module).to_program()


def compile_file(
    path: str | Path,
    pipeline: str | Sequence[ModulePass] = "-O2",
    target: Target | str | Path | None = None,
    *,
    instruments: Sequence[Instrument] = (),
) -> Program:
    """Compile the kernel in an MLIR file; see `compile`."""
    return compile(read_source(path), pipeline, target, name=str(path), instruments=instruments)


def read_source(path: str | Path) -> str:
    """The text of an MLIR file. Raises `CompileError` when it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as e:
        raise CompileError(f"cannot read '{path}': {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise CompileError(f"cannot read '{path}': not UTF-8 text") from e
