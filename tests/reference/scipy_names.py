"""What scipy calls the normal approximation of Wilcoxon's test, which depends on its version."""

from typing import Any

from scipy import stats


def _asymptotic() -> Any:
    try:
        stats.wilcoxon([1.0, 2.0, -3.0], method="asymptotic")
    except ValueError:
        return "approx"
    return "asymptotic"


ASYMPTOTIC = _asymptotic()
