"""The parts of the pass `reassociate`."""
