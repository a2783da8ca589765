"""Pieces of work: whoever does them, results come by number, in order if so asked, once."""

import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from leadline.io import workers
from leadline.io.parallel import (
    Alone,
    Failure,
    Workforce,
    attempt,
    current_workforce,
    hired,
)
from leadline.io.problems import InputError


def times(shared: int, piece: int) -> int:
    return shared * piece


def refuse(shared: int, piece: int) -> int:
    if piece >= shared:
        raise InputError.of("runs/a", "fields", f"piece {piece}", 7)
    return piece


class Backwards(Workforce):
    """The last piece is done first."""

    def outcomes(
        self, work: Callable[[Any, Any], Any], shared: Any, pieces: Sequence[Any]
    ) -> Generator[tuple[int, Any]]:
        for number in reversed(range(len(pieces))):
            yield number, attempt(work, shared, pieces[number])


@pytest.mark.parametrize("force", [Alone(), Backwards()])
def test_what_comes_in_order_is_in_order_whoever_was_first(force: Workforce) -> None:
    assert list(force.in_order(times, 3, [1, 2, 5])) == [3, 6, 15]
    assert dict(force.results(times, 3, [1, 2, 5])) == {0: 3, 1: 6, 2: 15}


@pytest.mark.parametrize("force", [Alone(), Backwards()])
def test_of_several_errors_the_first_in_order_is_told(force: Workforce) -> None:
    coming = force.in_order(refuse, 2, [0, 1, 2, 3])
    assert [next(coming), next(coming)] == [0, 1]
    with pytest.raises(InputError, match="runs/a:7: piece 2"):
        next(coming)


def test_an_error_is_told_as_it_comes_where_order_does_not_matter() -> None:
    with pytest.raises(InputError, match="piece 3"):
        list(Backwards().results(refuse, 2, [0, 1, 2, 3]))


def test_errors_that_cannot_travel_are_told_by_their_text() -> None:
    class OddError(ValueError):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    def fail(shared: None, piece: None) -> None:
        raise OddError(1, 2)

    outcome = attempt(fail, None, None)
    assert isinstance(outcome, Failure)
    assert type(outcome.error) is ValueError
    assert str(outcome.error) == "1 and 2"


def test_a_fault_of_ours_is_no_failure_of_the_input() -> None:
    with pytest.raises(ZeroDivisionError):
        attempt(lambda shared, piece: 1 // 0, None, None)


def test_who_is_hired_is_current_until_the_work_is_over() -> None:
    assert isinstance(current_workforce(), Alone)
    lent = Backwards()
    with hired(dask=lent) as force:
        assert force is lent
        assert current_workforce() is lent
    assert current_workforce() is not lent


@pytest.mark.parametrize(
    ("workers", "dask", "message"),
    [
        (0, None, "`workers` must be at least 1, not 0"),
        (2, "tcp://here:1", "give `workers` or `dask`, not both"),
        (1, 8786, "`dask` must be an address or a client, not 8786"),
    ],
)
def test_what_makes_no_sense_is_refused(workers: int, dask: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message), hired(workers, dask):
        pass


def test_one_process_does_not_load_what_starts_others() -> None:
    code = (
        "import sys; from leadline.io.parallel import hired\n"
        "with hired(): print({'multiprocessing', 'distributed'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_while_workers_start_waits_until_they_have(number: signal.Signals) -> None:
    """Inside it would leave a worker that nobody ends, or be lost."""
    came: list[str] = []
    before = signal.signal(number, lambda *_: came.append("stopped"))
    try:
        with workers._stops_deferred():
            signal.raise_signal(number)
            came.append("started")
        assert came == ["started", "stopped"]
    finally:
        signal.signal(number, before)
