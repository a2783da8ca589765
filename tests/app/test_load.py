"""Fifty assessors at one judgment a second: nothing goes wrong, memory stays, answers come soon."""

import os

import pytest

from benchmarks.judging import Load, bench, most_behind
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


def test_how_far_a_page_is_behind_is_measured() -> None:
    changes = [1.0, 5.0, 6.0]
    assert most_behind([(0.0, 0), (3.0, 1), (9.0, 3)], changes, 10.0) == 4.0
    assert most_behind([(0.0, 0)], changes, 10.0) == 9.0
    assert most_behind([(0.0, 0), (1.5, 1), (6.1, 3)], changes, 7.0) == pytest.approx(1.1)


def test_agreement_and_gold_on_the_page_are_those_of_the_ledger_within_seconds() -> None:
    load = bench(str(COLLECTION / "runs"), 20, 25, 0.5, "MoffatC(p=0.8)", 2, pool="Depth(d=5)")
    print("\n".join(load.lines()))
    assert load.wrong == []
    assert max(load.behind.values()) <= 5.0
    assert load.shown[-1][1] > 50
    assert load.shown[-1][2] > 0


@pytest.mark.slow
def test_twenty_assessors_of_a_shared_task_for_ten_minutes() -> None:
    runs = collection("trec8_adhoc") / "runs"
    load = bench(str(runs), 20, 600, 1.0, "MoffatC(p=0.8)", 2, pool="Depth(d=10)")
    # While a forecast is made, the server takes more.
    check(load, 12_000, 2.0)
    assert load.memory[-1][1] < 1.25 * load.memory[len(load.memory) // 5][1]
    assert max(load.behind.values()) <= 5.0
