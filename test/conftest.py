"""Settings of all unit tests."""

from hypothesis import settings

# Tests say what comes out, not how long it takes: that depends on what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
