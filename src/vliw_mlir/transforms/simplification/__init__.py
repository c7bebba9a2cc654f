"""The parts of the pass `simplify`."""
