"""What an order promises: nothing is asked twice, and being told again leads to the same place."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leadline.judging.ledger import Ledger
from leadline.judging.session import Session
from leadline.orders.order import Choice, Order, Stepper, orders
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs
from leadline.testing.naming_contract import check_name
from leadline.testing.small_collection import SmallCollection, small_collections
from leadline.testing.violation import demand, no_errors

MOST = 10_000
"""More than any small collection has to ask."""


def check_order(order: Order | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the order breaks a promise on one of n small collections.

    It asks for pairs that some run returns, never twice for the same, and ends; what is told
    without being asked for, or spent, is not asked for; what is released may come again; known
    judgments, and a ledger read again, lead to the same place as telling did.
    """
    order = check_name(orders, order)
    for small in small_collections(n, seed):
        small = replace(small, labelled=order.needs_labels)
        with no_errors(order, small):
            runs, known = small.tables()
            asked = _check_asking(order, runs, small)
            _check_run_order(order, small, asked)
            _check_told_unasked(order, runs, small, asked)
            _check_known(order, runs, known, small)
            _check_release(order, runs, small)
            _check_retract(order, runs, small)
            _check_ledger(order, runs, small)


def _grade(pair: int) -> int:
    """The answer to every question about a pair."""
    return (pair * 7 // 3) % 3


def _follow(stepper: Stepper, most: int = MOST, k: int = 1) -> list[int]:
    """The pairs asked for, k at a time, each told before the next are asked for."""
    asked: list[int] = []
    while len(asked) < most and (chosen := stepper.next(k)):
        asked += [choice.pair for choice in chosen]
        for choice in chosen:
            stepper.tell(choice.pair, _grade(choice.pair))
    return asked


def _check_asking(order: Order, runs: Runs, small: SmallCollection) -> list[int]:
    returned = set(runs.pair.tolist())
    for k in (1, 3):
        stepper = order.start(runs)
        chosen = stepper.next(0)
        demand(chosen == [], f"{order} must give nothing if 0 pairs are asked for, not {chosen}")
        asked = _follow(stepper, len(returned) + 1, k)
        demand(set(asked) <= returned, f"{order} asks for what no run returns, given {small}")
        demand(len(set(asked)) == len(asked), f"{order} asks twice for a pair, given {small}")
        demand(stepper.next(1) == [], f"{order} goes on after it had nothing to ask, given {small}")
    for choice in order.start(runs).next(MOST):
        weight = 0.0 if choice.weight is None else choice.weight
        demand(np.isfinite(weight), f"{order} gives {choice} no finite weight, given {small}")
    first, second = (_follow(order.start(runs)) for _ in range(2))
    demand(first == second, f"{order} asks otherwise the second time, given {small}")
    if order.exhaustive:
        missing = returned - set(first)
        demand(not missing, f"{order} never asks for {_names(runs, missing)}, given {small}")
    return first


def _check_told_unasked(order: Order, runs: Runs, small: SmallCollection, asked: list[int]) -> None:
    acts: list[tuple[str, Callable[[Stepper, int], None]]] = [
        ("told", lambda stepper, pair: stepper.tell(pair, 1)),
        ("spent", lambda stepper, pair: stepper.spend(pair)),
    ]
    for word, act in acts:
        for pair in asked[:1] + asked[-1:]:
            stepper = order.start(runs)
            act(stepper, pair)
            again = pair in _follow(stepper)
            what = f"{order} asks for {_names(runs, {pair})} although it was {word}"
            demand(not again, f"{what}, given {small}")


def _check_run_order(order: Order, small: SmallCollection, asked: list[int]) -> None:
    backwards, _ = small.with_runs(list(small.runs)[::-1]).tables()
    other = _follow(order.start(backwards))
    demand(asked == other, f"{order} asks otherwise when the runs are given backwards: {small}")


def _check_known(order: Order, runs: Runs, known: Judgments, small: SmallCollection) -> None:
    """Judgments given at the start are the same as telling them."""
    given, told = order.start(runs, known), order.start(runs)
    for pair in np.flatnonzero(known.judged).tolist():
        told.tell(pair, int(known.grade[pair]))
    first, second = _follow(given), _follow(told)
    what = f"{order} goes on otherwise when it starts with judgments than when it is told them"
    demand(first == second, f"{what}, given {small}")
    demand(not known.judged[first].any(), f"{order} asks for what was judged, given {small}")


def _check_release(order: Order, runs: Runs, small: SmallCollection) -> None:
    stepper = order.start(runs)
    chosen = stepper.next(3)
    for choice in chosen:
        stepper.release(choice.pair)
    back = {choice.pair for choice in stepper.next(MOST)}
    gone = {choice.pair for choice in chosen} - back
    what = f"{order} never asks again for {_names(runs, gone)}, which was released"
    demand(not gone, f"{what}, given {small}")


def _check_retract(order: Order, runs: Runs, small: SmallCollection) -> None:
    """A grade that is taken back and told anew leaves no trace."""
    corrected, straight = order.start(runs), order.start(runs)
    first, second = corrected.next(), straight.next()
    if not first:
        return
    pair = first[0].pair
    corrected.tell(pair, 2)
    if corrected.retract(pair, 2):
        corrected.tell(pair, 0)
        straight.tell(second[0].pair, 0)
        same = _follow(corrected) == _follow(straight)
        what = f"{order} remembers a grade of {_names(runs, {pair})} that was retracted"
        demand(same, f"{what}, given {small}")


def _check_ledger(order: Order, runs: Runs, small: SmallCollection) -> None:
    """A session interrupted after some answers asks on as if it had not been."""
    session = Session(runs, order, clock=lambda: "")
    for step in range(4):
        taken_up = Session(runs, order, ledger=Ledger([*session.ledger.entries]))
        chosen, again = session.ask(), taken_up.ask()
        what = f"{order} asks otherwise when its ledger is taken up after {step} answers"
        demand(_pairs(chosen) == _pairs(again), f"{what}, given {small}")
        for choice in chosen:
            session.tell(choice.pair, _grade(choice.pair))


def _pairs(chosen: list[Choice]) -> list[int]:
    return [choice.pair for choice in chosen]


def _names(runs: Runs, pairs: set[int]) -> str:
    return ", ".join("{1} of topic {0}".format(*runs.pairs.name(pair)) for pair in sorted(pairs))
