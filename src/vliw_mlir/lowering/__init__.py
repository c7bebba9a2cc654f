"""Passes between levels: from standard dialects down to bundles."""
