# The two commands of the README: `make run` and `make test`. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL ?= kernels/tree_hash.mlir
LEVEL ?= -O2

.PHONY: run test lint bench clean

run: $(VENV)/run.stamp
	$(BIN)/vliw-run $(KERNEL) $(LEVEL) --baseline -O0

test: $(VENV)/dev.stamp
	$(BIN)/lit -q test/lit
	$(BIN)/python -m pytest -n 2 test

# Style and types.
lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

# Speed of the simulator against a plain Python one, and of the optimizer. Takes minutes.
bench: $(VENV)/dev.stamp
	$(BIN)/python -m pytest benchmarks --benchmark-enable -s

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e .
	touch $@

$(VENV)/dev.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[dev]'
	touch $@ $(VENV)/run.stamp

clean:
	rm -rf $(VENV) build src/*.egg-info
