"""A real cluster: the same results as here, also when workers are lost, and nothing left behind."""

import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

import leadline
from leadline.io import run_stream as run_pieces
from leadline.io import workers as cluster_module
from leadline.io.parallel import Workforce, hired
from leadline.io.problems import InputError
from leadline.io.workers import Cluster, this_program
from leadline.stats import pairwise as bases

if TYPE_CHECKING:
    from distributed import LocalCluster

distributed = pytest.importorskip("distributed")
DEMO = Path(leadline.__file__).parent / "demo" / "collection"


def local_cluster(n_workers: int) -> "LocalCluster":
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="module")
def cluster() -> "Iterator[LocalCluster]":
    with local_cluster(2) as made:
        yield made


@pytest.fixture
def force(cluster: "LocalCluster") -> Iterator[Workforce]:
    with hired(dask=cluster.scheduler_address) as made:
        yield made
    assert_clean(cluster)


def assert_clean(cluster: "LocalCluster") -> None:
    """Nothing is held or waited for, but perhaps a piece that was begun."""
    until = time.monotonic() + 10
    while cluster.scheduler.tasks and time.monotonic() < until:
        time.sleep(0.05)
    assert not cluster.scheduler.tasks


def times(shared: int, piece: int) -> int:
    return shared * piece


def slowly(shared: float, piece: int) -> tuple[int, int]:
    time.sleep(shared)
    return piece, os.getpid()


def missing(shared: None, piece: str) -> None:
    raise InputError.of(piece, "missing", "no such file")


def killed(force: Workforce, n_pieces: int, seconds: float, victims: int) -> list[Any]:
    """Results of pieces that each take so long, while the first workers met are killed."""
    results, dead = {}, set()
    with closing(force.results(slowly, seconds, range(n_pieces))) as coming:
        for number, (piece, worker) in coming:
            results[number] = piece
            if len(dead) < victims and worker not in dead:
                os.kill(worker, signal.SIGKILL)
                dead.add(worker)
    return [results[number] for number in range(n_pieces)]


def test_pieces_come_back_by_number(force: Workforce) -> None:
    assert list(force.in_order(times, 3, [1, 2, 5])) == [3, 6, 15]
    assert force.n_workers == 2
    assert "2 workers of the cluster; watch them at http://127.0.0.1:" in force.describe()[0]


@pytest.mark.parametrize("victims", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_lost_workers_cost_only_what_they_had_not_finished(force: Workforce, victims: int) -> None:
    """With both of them what all pieces share is lost too, and travels again."""
    assert killed(force, 8, 0.2, victims) == list(range(8))


def test_a_worker_lost_while_it_is_sent_something_costs_nothing_else(force: Workforce) -> None:
    assert isinstance(force, Cluster)
    send, failures = force.client.scatter, [KeyError("tcp://127.0.0.1:1"), OSError("closed")]

    def scatter(*what: Any, **how: Any) -> Any:
        if failures:
            raise failures.pop()
        return send(*what, **how)

    with patch.object(force.client, "scatter", scatter), patch.object(cluster_module, "PAUSE", 0):
        assert list(force.in_order(times, 3, [1, 2])) == [3, 6]
    assert not failures


@pytest.mark.slow
def test_workers_come_and_go() -> None:
    with local_cluster(2) as made, hired(dask=made.scheduler_address) as force:
        joins = threading.Timer(1, made.scale, (3,))
        joins.start()
        assert killed(force, 60, 0.2, 3) == list(range(60))
        joins.join()
        assert_clean(made)


def test_an_interruption_leaves_nothing_to_do(force: Workforce, cluster: "LocalCluster") -> None:
    def take_one() -> None:
        for _ in force.results(slowly, 0.2, range(50)):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take_one()
    assert_clean(cluster)


def test_a_file_that_a_worker_does_not_see_is_told_with_the_worker(force: Workforce) -> None:
    with pytest.raises(InputError, match=r"a\.run: no such file\nWorker tcp.* where all workers"):
        list(force.in_order(missing, None, ["a.run", "b.run"]))


def test_another_leadline_is_refused_and_other_packages_are_told(cluster: "LocalCluster") -> None:
    ours, address = this_program(), cluster.scheduler_address
    older = replace(ours, source="0" * 16)
    with (
        patch.object(cluster_module, "this_program", lambda: older),
        pytest.raises(ValueError, match=r"runs Leadline .*, the client .*0000\): install the same"),
    ):
        Cluster.at(address)
    other = replace(ours, beside=(("numpy", "1.0"),))
    with patch.object(cluster_module, "this_program", lambda: other):
        force = Cluster.at(address)
    assert "numpy" in force.describe()[1]
    assert "the last digits of results may differ" in force.describe()[1]
    force.close()


def test_a_worker_that_joined_later_is_asked_too(force: Workforce) -> None:
    older = replace(this_program(), source="0" * 16)
    with (
        patch.object(cluster_module, "this_program", lambda: older),
        pytest.raises(ValueError, match="install the same on all machines"),
    ):
        list(force.in_order(times, 3, [1, 2]))


def test_a_client_that_was_lent_stays_open(cluster: "LocalCluster") -> None:
    with distributed.Client(cluster, set_as_default=False) as client:
        with hired(dask=client) as force:
            assert list(force.in_order(times, 2, [1, 2])) == [2, 4]
        assert client.status == "running"


def test_where_nobody_answers_it_says_what_to_start(cluster: "LocalCluster") -> None:
    with (
        patch.object(cluster_module, "PATIENCE", 0.5),
        pytest.raises(ValueError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9: "),
        hired(dask="tcp://127.0.0.1:9"),
    ):
        pass
    # One that was collected while the next starts would wait for it, and the next for it.
    half_made = [each for each in gc.get_objects() if isinstance(each, distributed.Client)]
    assert [each for each in half_made if each.status != "running"] == []


VERBS: dict[str, Any] = {
    "evaluate": lambda **how: leadline.evaluate(DEMO, per_topic=True, **how),
    "compare": lambda **how: leadline.compare(
        DEMO, measures="P@10", test="randomisation(n=100)", **how
    ),
    "estimate": lambda **how: leadline.estimate(DEMO, estimators=["ListMean", "Linear"], **how),
    "adjust": lambda **how: leadline.adjust(
        DEMO, new=NEW, measures="P@10", method="WebberSystems", pool_depth=5, **how
    ),
}
NEW = sorted(leadline.read(DEMO).runs.names)[0]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_gives_the_same_here_by_processes_and_on_a_cluster(
    verb: str, force: Workforce
) -> None:
    with patch.object(bases, "TOGETHER", 40), patch.object(run_pieces, "RANGE", 1 << 12):
        here = VERBS[verb]()
        there = VERBS[verb](dask=force)
        beside = VERBS[verb](workers=2)
    for other in (there, beside):
        assert other.frame.equals(here.frame)
        assert other.notices.lines() == here.notices.lines()
