"""Half a minute of the attack: the whole corpus and fixed changes of it to every target."""

import os
import signal
from itertools import islice

import pytest

from tests.fuzz import __main__ as program
from tests.fuzz.campaign import attempt, try_all, watched
from tests.fuzz.mutate import mutations
from tests.fuzz.target import TARGETS, Target

N_INPUTS = 12_000
"""Over all targets, by their shares."""
SHARES = sum(target.share for target in TARGETS.values())


@pytest.mark.parametrize("name", [target.name for target in program.in_order()])
def test_nothing_is_found(name: str) -> None:
    target = TARGETS[name]
    n = max(len(target.corpus()), N_INPUTS * target.share // SHARES)
    findings = try_all(target, islice(mutations(target.corpus(), seed=1), n))
    assert findings.n_inputs == n
    assert not findings.found, findings.told


def test_changes_are_the_same_for_the_same_seed() -> None:
    seeds = TARGETS["trec_run"].corpus()
    first, again, other = (list(islice(mutations(seeds, seed), 300)) for seed in (1, 1, 2))
    assert first == again
    assert first[: len(seeds)] == seeds
    assert first != other


def test_a_fault_would_be_found() -> None:
    def check(data: bytes) -> None:
        if b"\r" in data:
            raise ValueError("a carriage return")

    target = Target("x", check, ("run",), 1)
    findings = try_all(target, target.corpus())
    assert list(findings.told.values()) == ["a carriage return"]
    assert b"\r" in next(iter(findings.found.values()))


def test_a_hang_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(data: bytes) -> None:
        while True:
            pass

    monkeypatch.setattr("tests.fuzz.campaign.HANG", 0.05)
    found = attempt(Target("x", check, (), 1), b"")
    assert found is not None
    assert found[0].startswith("Hang")


def test_a_process_that_dies_leaves_its_input() -> None:
    def check(data: bytes) -> None:
        if b"\xef\xbb\xbf" in data:
            os.kill(os.getpid(), signal.SIGKILL)

    findings = watched(Target("x", check, ("run",), 1), 0, 40)
    assert findings.n_inputs == 40
    assert any(what.startswith("the process died") for what in findings.found)
    assert all(b"\xef\xbb\xbf" in data for data in findings.found.values())
