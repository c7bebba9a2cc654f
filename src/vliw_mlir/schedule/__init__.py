"""From instructions on virtual registers to bundles: liveness, allocation, emission.

Pure data over the target's instruction formats; no IR in here.
"""
