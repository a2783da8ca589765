"""Hypothesis tries the same examples on every run of `make test`, others on every `make verify`."""

import os

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("random", deadline=None, max_examples=300)
settings.load_profile("random" if os.environ.get("LEADLINE_RANDOM_EXAMPLES") else "fixed")
