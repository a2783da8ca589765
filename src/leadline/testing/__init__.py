"""Contracts that the author of a plug-in runs; may use every room above, and nothing uses them."""

from leadline.testing.adjuster_contract import check_adjuster
from leadline.testing.estimator_contract import check_estimator
from leadline.testing.format_contract import check_format
from leadline.testing.measure_contract import check_measure
from leadline.testing.order_contract import check_order
from leadline.testing.pool_contract import check_pool
from leadline.testing.significance_contract import check_test
from leadline.testing.small_collection import SmallCollection, small_collections
from leadline.testing.stop_contract import check_stop
from leadline.testing.violation import Violation

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
