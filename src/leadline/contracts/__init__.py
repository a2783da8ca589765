"""Contracts that the author of a plug-in runs; may use every room above, and nothing uses them."""

from leadline.contracts.choices import check_order, check_pool, check_stop
from leadline.contracts.collections import SmallCollection, small_collections
from leadline.contracts.formats import check_format
from leadline.contracts.names import Violation
from leadline.contracts.scores import check_adjuster, check_estimator, check_measure, check_test

__all__ = [
    "SmallCollection",
    "Violation",
    "check_adjuster",
    "check_estimator",
    "check_format",
    "check_measure",
    "check_order",
    "check_pool",
    "check_stop",
    "check_test",
    "small_collections",
]
