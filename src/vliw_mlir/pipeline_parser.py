"""Turns the text of a pipeline, `pass-a,pass-b{option=value other=1,2}`, into passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterListType, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.utils.hints import isa, type_repr

from vliw_mlir.errors import CompileError
from vliw_mlir.suggest import did_you_mean

PassFactories = Mapping[str, Callable[[], type[ModulePass]]]
"""The passes to choose from: by name a function that imports the class."""


def parse_passes(text: str, available: PassFactories) -> list[ModulePass]:
    """The passes that `text` names, with their options set.

    Raises `CompileError` for malformed text, unknown passes and unknown or bad options.
    """
    try:
        specs = list(parse_pipeline(text))
    except ArgSpecParseError as e:
        raise CompileError(f"malformed pipeline: {_last_line(e)} in '{text}'") from e
    return [make_pass(spec, available) for spec in specs]


def _last_line(error: ArgSpecParseError) -> str:
    return str(error).strip().splitlines()[-1].strip()


def make_pass(spec: ArgSpec, available: PassFactories) -> ModulePass:
    """The pass that `spec` describes. Raises `CompileError` as `parse_passes` does."""
    if spec.name not in available:
        raise CompileError(f"unknown pass '{spec.name}'{did_you_mean(spec.name, available)}")
    pass_type = load_pass(spec.name, available)
    types = get_type_hints(pass_type)
    options = {f.name: types[f.name] for f in fields(pass_type) if f.init and f.name != "name"}
    given: dict[str, ParameterListType] = {}
    for name, values in spec.normalize_parameter_names().parameters.items():
        if name not in options:
            raise CompileError(_unknown_option(spec.name, name, options))
        given[name] = _option_values(spec.name, name, values, options[name])
    for name in sorted(pass_type.required_fields() - set(given) - {"name"}):
        raise CompileError(f"pass '{spec.name}' needs the option '{dashed(name)}'")
    try:
        return pass_type.from_spec(ArgSpec(spec.name, given))
    except ValueError as e:
        raise CompileError(f"pass '{spec.name}': {e}") from e


def load_pass(name: str, available: PassFactories) -> type[ModulePass]:
    """Import the class of the pass `name`. Raises `CompileError` when it cannot be imported."""
    try:
        return available[name]()
    except ImportError as e:
        raise CompileError(f"pass '{name}' is not usable here: {e}") from e


def dashed(option: str) -> str:
    """An option's name as written in a pipeline."""
    return option.replace("_", "-")


def _unknown_option(pass_name: str, name: str, options: Mapping[str, Any]) -> str:
    known = ", ".join(dashed(option) for option in options) or "none"
    hint = did_you_mean(dashed(name), map(dashed, options))
    return f"pass '{pass_name}' has no option '{dashed(name)}'{hint} (options: {known})"


def _option_values(
    pass_name: str, name: str, values: ParameterListType, wanted: Any
) -> ParameterListType:
    """The values to set, with `flag` alone meaning `flag=true`."""
    takes_bool = wanted is bool or bool in get_args(wanted)
    if not values and takes_bool:
        return (True,)
    if wanted is float:
        values = tuple(float(v) if type(v) is int else v for v in values)
    # To Python a bool is an int.
    stray_bool = not takes_bool and any(isinstance(value, bool) for value in values)
    readings = (values, *(values if len(values) == 1 else ()), *(() if values else (None,)))
    if not stray_bool and any(isa(reading, wanted) for reading in readings):
        return values
    given = ",".join(map(str, values)) or "nothing"
    what, hint = type_repr(wanted), ""
    if get_origin(wanted) is Literal:
        what = f"one of {', '.join(get_args(wanted))}"
        hint = did_you_mean(given, get_args(wanted))
    raise CompileError(
        f"pass '{pass_name}': option '{dashed(name)}' takes {what}, not {given}{hint}"
    )
