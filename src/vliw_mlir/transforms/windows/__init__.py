"""The parts of the pass `form-windows`."""
