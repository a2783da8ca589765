"""Fifty assessors at one judgment a second: nothing goes wrong, memory stays, answers come soon."""

import os

import pytest

from benchmarks.judging import Load, bench
from benchmarks.proxy import NGINX
from leadline.io.datasets import COLLECTION
from tests.shared_data.where import collection


def check(load: Load, expected: int, grown: float) -> None:
    print("\n".join(load.lines()))
    assert load.wrong == []
    assert len(load.answers) >= 0.5 * expected
    assert load.events > 0
    settled = [mb for at, mb in load.memory if at > 0.2 * load.memory[-1][0]]
    assert max(settled) < settled[0] * grown


def test_twenty_assessors_on_the_demo_for_a_few_seconds() -> None:
    check(bench(str(COLLECTION / "runs"), 20, 4, 0.5, "MoffatC(p=0.8)", 2), 160, 2.0)


@pytest.mark.slow
@pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light")
def test_five_attacks_at_once_through_nginx_stop_nobody() -> None:
    runs = str(COLLECTION / "runs")
    load = bench(runs, 20, 20, 0.5, "MoffatC(p=0.8)", 2, disturbed=True)
    check(load, 800, 2.0)
    assert max(mb for _, mb in load.memory) < 1_000


@pytest.mark.slow
def test_fifty_assessors_on_trec_8_for_ten_minutes() -> None:
    runs = collection("trec8_adhoc") / "runs"
    quiet = os.getloadavg()[0] < 1
    load = bench(str(runs), 50, 600, 1.0, "MoffatC(p=0.8)", 1)
    check(load, 30_000, 1.25)
    if quiet:
        assert load.percentile(0.95) < 25, "milliseconds, on a machine that was idle before"
        assert load.percentile(0.99) < 100, "milliseconds, on a machine that was idle before"
