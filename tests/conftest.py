"""Hypothesis tries the same examples on every run of `make test`, others on every `make verify`."""

import os
import tempfile

from hypothesis import settings

from tests.tries import MANY

# As the program has it: threads of linear algebra wait for each other where workers share cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What tests confirm is nothing to the user who runs them.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="leadline-state-")

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("random", deadline=None, max_examples=300)
settings.load_profile("random" if MANY else "fixed")
