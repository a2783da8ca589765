"""python -m tests.fuzz: inputs to all targets in turn, counts and findings by target."""

import argparse
import hashlib
import logging
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz import fields, kept, ledgers, names, options, settings, tables, verbs
from tests.fuzz.campaign import Findings, watched
from tests.fuzz.guided import guided
from tests.fuzz.target import TARGETS, Target

ROOMS = (fields, kept, ledgers, names, options, settings, tables, verbs)
Way = Callable[[list[Target], int, float, int], Iterator[Findings]]
ROUND = 20_000
"""Inputs over all targets before the next round begins with another seed."""


def in_order() -> list[Target]:
    """All targets; those of the rooms above are registered when they are imported."""
    return [TARGETS[name] for name in sorted(TARGETS)]


def rounds(chosen: list[Target], n_inputs: int, seconds: float, seed: int) -> Iterator[Findings]:
    """What each target found, round by round, until inputs or time are spent."""
    end, left = time.monotonic() + seconds, n_inputs
    shares = sum(each.share for each in chosen)
    while left > 0 and time.monotonic() < end:
        for each in chosen:
            n = max(1, min(ROUND, left) * each.share // shares)
            yield watched(each, seed, n, end - time.monotonic())
        left -= ROUND
        seed += 1


def ways(by: str | None) -> list[Way]:
    """How to make inputs: by changes of the corpus and by atheris, where it is installed."""
    if by is None:
        by = "both" if find_spec("atheris") else "changes"
    return {"both": [rounds, guided], "changes": [rounds], "atheris": [guided]}[by]


def main() -> int:
    """1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1 << 60, help="over all targets")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--by", choices=["changes", "atheris"], help="both, half the time each")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"), help="where findings go")
    given = parser.parse_args()
    logging.getLogger("leadline").addHandler(logging.NullHandler())
    chosen = [TARGETS[name] for name in given.target] if given.target else in_order()
    totals = {each.name: Findings(each.name) for each in chosen}
    try:
        for way in ways(given.by):
            seconds = given.seconds / len(ways(given.by))
            for findings in way(chosen, given.inputs, seconds, given.seed):
                keep(findings, totals[findings.name], given.keep)
    except KeyboardInterrupt:
        print("stopped")
    for total in totals.values():
        print(total.line())
    n_inputs = sum(total.n_inputs for total in totals.values())
    n_found = sum(len(total.found) for total in totals.values())
    print(f"{n_inputs:,} inputs, {n_found} findings")
    return 1 if n_found else 0


def keep(findings: Findings, total: Findings, folder: Path) -> None:
    """Add to the total, and write an input for each new finding."""
    for what, data in findings.found.items():
        if what not in total.found:
            path = folder / findings.name / hashlib.sha256(what.encode()).hexdigest()[:8]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"{path}: {what} {findings.told.get(what, '')!r}", flush=True)
    total.add(findings)
    print(total.line(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
