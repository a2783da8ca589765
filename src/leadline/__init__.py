"""Leadline: search evaluation that shows what a score is worth when few documents were judged."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Matrices here are small: threads of the linear algebra wait for each other more than they work,
# most of all where several processes share the cores, and their number changes the last digits.
# Has no effect where numpy is loaded already; worker processes inherit it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if TYPE_CHECKING:
    from leadline import listing as _listing
    from leadline.api import next_judgments as _next_judgments
    from leadline.api.adjust import adjust as adjust
    from leadline.api.audit import audit as audit
    from leadline.api.compare import compare as compare
    from leadline.api.correlate import correlate as correlate
    from leadline.api.estimate import estimate as estimate
    from leadline.api.evaluate import evaluate as evaluate
    from leadline.api.explain import explain as explain
    from leadline.api.gate import gate as gate
    from leadline.api.label import label as label
    from leadline.api.lint import lint as lint
    from leadline.api.merge import merge as merge
    from leadline.api.plan import plan as plan
    from leadline.api.pool import pool as pool
    from leadline.api.report import report as report
    from leadline.api.run import run as run
    from leadline.api.verify_certificate import verify_certificate as verify_certificate
    from leadline.io.read import read as read
    from leadline.lab.benchmark.benchmark import benchmark as benchmark
    from leadline.lab.reproduce import reproduce as reproduce
    from leadline.measures.measure import parse_measure as parse_measure

    list = _listing.listing
    next = _next_judgments.next_judgments

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
    "lint",
    "merge",
    "plan",
    "pool",
    "report",
    "run",
    "verify_certificate",
)
_HOMES = {name: (f"leadline.api.{name}", name) for name in _VERBS}
_HOMES["read"] = ("leadline.io.read", "read")
_HOMES["benchmark"] = ("leadline.lab.benchmark.benchmark", "benchmark")
_HOMES["reproduce"] = ("leadline.lab.reproduce", "reproduce")
_HOMES["list"] = ("leadline.listing", "listing")
_HOMES["next"] = ("leadline.api.next_judgments", "next_judgments")
_HOMES["parse_measure"] = ("leadline.measures.measure", "parse_measure")

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'leadline' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> Any:
    return sorted(__all__)
