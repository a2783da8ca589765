"""How many random examples a test tries: few in `make test`, more in `make verify`."""

import os

from hypothesis import settings

MANY = bool(os.environ.get("LEADLINE_RANDOM_EXAMPLES"))


def tries(n: int) -> settings:
    """n examples in the short form, five times as many in the whole one."""
    return settings(max_examples=5 * n if MANY else n)
