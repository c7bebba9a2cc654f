"""Configuration of lit: the `.mlir` tests under test/lit."""

# ruff: noqa: F821
# lit defines `config`.

import os
import sys

import lit.formats

config.name = "vliw-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]

# The tools are those installed beside the Python that runs lit: no activated environment needed.
_tools = os.path.dirname(os.path.abspath(sys.executable))
config.environment["PATH"] = os.pathsep.join((_tools, os.environ.get("PATH", "")))
