"""The options that say who works: the same output, and a word on where to watch."""

import logging

import pytest

from leadline.io.datasets import COLLECTION
from tests.cli.program import call

distributed = pytest.importorskip("distributed")


def test_the_dashboard_is_named_and_the_output_is_the_same() -> None:
    here = call("evaluate", COLLECTION, "-m", "AP")
    with distributed.LocalCluster(
        n_workers=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        there = call("evaluate", COLLECTION, "-m", "AP", "--dask", cluster.scheduler_address)
    assert (there.code, there.out) == (0, here.out)
    assert "1 worker of the cluster; watch them at http" in there.err
    assert there.err.replace(there.err.splitlines()[0] + "\n", "") == here.err


def test_one_or_the_other() -> None:
    both = call("compare", COLLECTION, "--workers", "2", "--dask", "tcp://127.0.0.1:1")
    assert both.code == 2
    assert "give --workers or --dask, not both" in both.err
    assert call("estimate", COLLECTION, "--workers", "0").code == 2
