"""The list of passes that `vliw-opt --list-passes` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.passes import ModulePass, get_pass_option_infos

from vliw_mlir.errors import CompileError
from vliw_mlir.pipeline_parser import PassFactories, dashed, load_pass


def list_passes(own: Iterable[str], available: PassFactories) -> str:
    """Name, first line of the documentation and options of each pass in `available`, those
    named by `own` first."""
    own = set(own)
    lines = ["Passes of vliw-mlir:"]
    lines += [line for name in sorted(own) for line in _describe(name, available)]
    lines += ["", "Passes of xDSL and plug-ins:"]
    lines += [line for name in sorted(set(available) - own) for line in _describe(name, available)]
    return "\n".join(lines)


def _describe(name: str, available: PassFactories) -> Iterator[str]:
    try:
        pass_type = load_pass(name, available)
    except CompileError as e:
        yield f"  {name:40} ({e.message})"
        return
    yield f"  {name:40} {_summary(pass_type)}".rstrip()
    for option in get_pass_option_infos(pass_type):
        default = "" if option.default_value is None else f" = {option.default_value}"
        yield f"      {dashed(option.name)}: {option.expected_type}{default}"


def _summary(pass_type: type[ModulePass]) -> str:
    doc = (pass_type.__doc__ or "").strip()
    # A dataclass without documentation gets its signature for one.
    if doc.startswith(f"{pass_type.__name__}("):
        return ""
    return " ".join(doc.split("\n\n")[0].split())
