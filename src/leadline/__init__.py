"""Leadline: search evaluation that shows what a score is worth when few documents were judged."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from leadline.collection.read import read as read
    from leadline.measures.measure import parse_measure as parse_measure
    from leadline.verbs import listing as _listing
    from leadline.verbs.adjust import adjust as adjust
    from leadline.verbs.audit import audit as audit
    from leadline.verbs.compare import compare as compare
    from leadline.verbs.correlate import correlate as correlate
    from leadline.verbs.estimate import estimate as estimate
    from leadline.verbs.evaluate import evaluate as evaluate
    from leadline.verbs.explain import explain as explain
    from leadline.verbs.gate import gate as gate
    from leadline.verbs.label import label as label
    from leadline.verbs.league import league as league
    from leadline.verbs.lint import lint as lint
    from leadline.verbs.order import order as order
    from leadline.verbs.plan import plan as plan
    from leadline.verbs.pool import pool as pool
    from leadline.verbs.report import report as report
    from leadline.verbs.reproduce import reproduce as reproduce

    list = _listing.listing

# Loaded at first use, so that `import leadline` loads neither polars nor scipy.
_VERBS = (
    "adjust",
    "audit",
    "compare",
    "correlate",
    "estimate",
    "evaluate",
    "explain",
    "gate",
    "label",
    "league",
    "lint",
    "order",
    "plan",
    "pool",
    "report",
    "reproduce",
)
_HOMES = {name: (f"leadline.verbs.{name}", name) for name in _VERBS}
_HOMES["read"] = ("leadline.collection.read", "read")
_HOMES["list"] = ("leadline.verbs.listing", "listing")
_HOMES["parse_measure"] = ("leadline.measures.measure", "parse_measure")

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'leadline' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> Any:
    return sorted(__all__)
