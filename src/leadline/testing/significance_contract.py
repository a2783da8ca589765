"""What a significance test promises: a p for each row, of the right size where nothing differs."""

import numpy as np

from leadline.comparison.hypothesis_test import Tails, Test, tests
from leadline.tables.arrays import Floats
from leadline.testing.naming_contract import check_name
from leadline.testing.violation import demand, no_errors

CHANCE = 0.1
"""How far p may be off by chance: tests that draw differ from call to call."""

LEVEL = 0.05


def check_test(test: Test | str, n: int = 300, seed: int = 0) -> None:
    """A Violation if the test breaks a promise on n rows of random differences.

    p lies between 0 and 1, NaN where nothing differs; rows and topics are exchangeable, a topic
    that is NaN does not count; where nothing differs but by chance p is not small too often, and
    where all topics agree it is small. A test may refuse one tail with a ValueError.
    """
    test = check_name(tests, test)
    random = np.random.default_rng(seed)
    rows = random.normal(0, 1, (n, 20))
    p = _p(test, rows, 2)
    _check_range(test, rows, p)
    _check_level(test, p, 2)
    _check_exchange(test, rows[:10], p[:10], random)
    for row, name in ((np.zeros(8), "all are 0"), (np.full(8, np.nan), "no topic counts")):
        found = _p(test, row[None, :], 2)[0]
        demand(np.isnan(found), f"{test} must be NaN where {name}, not {found}")
    clear = _p(test, 1 + random.uniform(-0.1, 0.1, (1, 30)), 2)[0]
    demand(clear < LEVEL, f"{test} gives p = {clear} where 30 topics differ by about 1")
    if _has_one_tail(test):
        _check_one_tail(test, rows)


def _p(test: Test, rows: Floats, tails: Tails) -> Floats:
    with no_errors(
        test, f"{len(rows)} rows of differences, the first {rows[:1].round(3).tolist()}"
    ):
        p = test.p(rows.copy(), tails, np.random.default_rng(0))
    demand(p.shape == (len(rows),), f"{test} must give one p a row, not {p.shape} for {len(rows)}")
    return p


def _has_one_tail(test: Test) -> bool:
    try:
        test.p(np.ones((1, 3)), 1, np.random.default_rng(0))
    except ValueError:
        return False
    return True


def _check_range(test: Test, rows: Floats, p: Floats) -> None:
    wrong = ~((p >= 0) & (p <= 1))
    at = int(np.argmax(wrong))
    what = f"p of {test} must lie between 0 and 1, not {p[at]}"
    demand(not wrong.any(), f"{what}, given the differences {rows[at].round(3).tolist()}")


def _check_level(test: Test, p: Floats, tails: Tails) -> None:
    share = float((p <= LEVEL).mean())
    most = LEVEL + 5 * np.sqrt(LEVEL * (1 - LEVEL) / len(p))
    what = f"{test} finds {share:.0%} of {len(p)} rows without a true difference significant"
    demand(share <= most, f"{what} at {LEVEL}, with {tails} tails")


def _check_exchange(test: Test, rows: Floats, p: Floats, random: np.random.Generator) -> None:
    shuffled = random.permutation(rows.shape[1])
    missing = np.column_stack([rows, np.full(len(rows), np.nan)])
    for changed, when in (
        (rows[:, shuffled], "topics come in another order"),
        (-rows, "all signs are turned"),
        (missing, "there is one more topic that does not count"),
        (rows * 3, "all differences are three times as large"),
    ):
        _demand_close(test, rows, p, _p(test, changed, 2), when)
    alone = np.concatenate([_p(test, row[None, :], 2) for row in rows])
    _demand_close(test, rows, p, alone, "rows are tested one by one")


def _check_one_tail(test: Test, rows: Floats) -> None:
    p = _p(test, rows, 1)
    _check_range(test, rows, p)
    _check_level(test, p, 1)
    some = slice(10)
    both = p[some] + _p(test, -rows[some], 1)
    low = int(np.argmin(both))
    what = f"one-tailed p of {test} and that of the other tail must add up to 1 or more"
    demand(both[low] >= 1 - CHANCE, f"{what}, not to {both[low]}: {rows[low].round(3).tolist()}")
    further = _p(test, rows[some] + 0.5, 1)
    worst = int(np.argmax(further - p[some]))
    what = f"one-tailed p of {test} must not grow from {p[worst]} to {further[worst]}"
    rises = further[worst] > p[worst] + CHANCE
    demand(not rises, f"{what} when every difference grows by 0.5: {rows[worst].round(3).tolist()}")


def _demand_close(test: Test, rows: Floats, p: Floats, other: Floats, when: str) -> None:
    off = np.abs(p - other)
    at = int(np.argmax(off))
    what = f"{test} gives {other[at]} instead of {p[at]} when {when}"
    demand(off[at] <= CHANCE, f"{what}, given the differences {rows[at].round(3).tolist()}")
