"""What orders, stopping rules and pool strategies promise."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leadline.contracts.collections import SmallCollection, small_collections
from leadline.contracts.names import check_name, demand, no_errors
from leadline.data.judgments import Judgments
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.judging.ledger import Ledger
from leadline.judging.likely_winner import LikelyWinner
from leadline.judging.order import Choice, Order, Random, Stepper, orders
from leadline.judging.session import Session
from leadline.judging.stops import Stop, stops
from leadline.judging.two_runs import SampledBatches
from leadline.pooling.strategies import PoolStrategy, pools

MOST = 10_000
"""More than any small collection has to ask."""


def check_order(order: Order | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the order breaks a promise on one of n small collections.

    It asks for pairs that some run returns, never twice for the same, and ends; reported grades
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
            _check_reported_unasked(order, runs, small, asked)
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


def _check_reported_unasked(
    order: Order, runs: Runs, small: SmallCollection, asked: list[int]
) -> None:
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


def check_stop(stop: Stop | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the rule breaks a promise on one of n small collections.

    While pairs are judged in a random order, or by LikelyWinner where the rule asks for a model, or
    by SampledBatches where it asks for two runs, it gives no reason or one in words, the same when
    asked twice; what it says is left, or missing, is never below 0; nothing is left only when there
    is a reason, and nothing is missing when there is one.
    """
    stop = check_name(stops, stop)
    for small in small_collections(n, seed):
        with no_errors(stop, small):
            _check_session(stop, small)


def _check_session(stop: Stop, small: SmallCollection) -> None:
    runs, judgments = small.tables()
    order: Order = LikelyWinner(pilot=2, batch=2) if stop.needs_model else Random()
    if stop.needs_two_runs:
        if len(runs.names) < 2:
            return
        order = SampledBatches(",".join(runs.names[:2]), batch=2)
    session = Session(runs, order, stop)
    while True:
        given = f"after {len(session.grades)} judgments, given {small}"
        reason, again = session.reason(), session.reason()
        demand(reason == again, f"{stop} says {reason!r} and then {again!r} {given}")
        demand(
            reason is None or reason.strip(), f"{stop} must stop with a reason in words, {given}"
        )
        left, missing = stop.left(session.standing), stop.distance(session.standing)
        demand(left is None or left >= 0, f"{stop} leaves {left} judgments {given}")
        demand(left != 0 or reason, f"{stop} leaves no judgments and goes on {given}")
        demand(missing is None or missing >= 0, f"{stop} is {missing} from its end {given}")
        arrived = reason is None or missing is None or missing <= 1e-9
        demand(arrived, f"{stop} stops although {missing} is missing {given}")
        chosen = session.ask()
        demand(not (reason and chosen), f"{stop} stops and goes on {given}")
        if not chosen:
            return
        session.tell(chosen[0].pair, int(judgments.grade[chosen[0].pair]))


N_SEEDS = 100
FAR = 6.0
"""Standard deviations that chance never goes."""


def check_pool(strategy: PoolStrategy | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the strategy breaks a promise on one of n small collections.

    The same seed gives the same pool, whatever the order of the runs; members are returned by some
    run, and were included with the probability that the pool tells.
    """
    strategy = check_name(pools, strategy)
    for small in small_collections(n, seed, n_docs=12, n_runs=4):
        pool = _drawn(strategy, small, 1)
        _check_members(strategy, small, pool)
        again = _drawn(strategy, small, 1)
        backwards = _drawn(strategy, small.with_runs(list(small.runs)[::-1]), 1)
        for other, when in ((again, "twice"), (backwards, "with its runs in another order")):
            same = np.array_equal(pool.member, other.member)
            same = same and np.array_equal(pool.inclusion, other.inclusion)
            demand(same, f"{strategy} draws another pool {when} with the same seed, given {small}")
    _check_draws(strategy, small)


def _drawn(strategy: PoolStrategy, small: SmallCollection, seed: int) -> Pool:
    with no_errors(strategy, small):
        return strategy.pool(small.tables()[0], seed)


def _check_members(strategy: PoolStrategy, small: SmallCollection, pool: Pool) -> None:
    runs, _ = small.tables()
    name = f"the pool of {strategy}"
    demand(pool.strategy == str(strategy), f"{name} must name it, not {pool.strategy}")
    demand(pool.seed == 1, f"{name} must tell its seed 1, not {pool.seed}")
    demand(
        len(pool.pairs) == len(runs.pairs), f"{name} must be over the pairs of the runs: {small}"
    )
    possible = pool.inclusion > 0
    returned = np.diff(runs.postings.start) > 0
    demand(not (possible & ~returned).any(), f"{name} has what no run returns, given {small}")
    certain = pool.inclusion == 1
    demand(pool.member[certain].all(), f"{name} lacks what it has for certain, given {small}")


def _check_draws(strategy: PoolStrategy, small: SmallCollection) -> None:
    """Over many seeds the pool is as large on average as its probabilities add up to."""
    drawn = [_drawn(strategy, small, seed) for seed in range(N_SEEDS)]
    share = drawn[0].inclusion
    mean = float(np.mean([len(pool) for pool in drawn]))
    spread = float(np.sqrt((share * (1 - share)).sum() / N_SEEDS))
    # A size that is fixed is rounded, at most by one half in every stratum of every topic.
    cells = {(t, s) for t, s in zip(drawn[0].pairs.topic, drawn[0].stratum, strict=True) if s >= 0}
    off = abs(mean - float(share.sum()))
    demand(
        off <= FAR * spread + len(cells) / 2,
        f"the inclusion probabilities of {strategy} add up to {share.sum():.2f} documents, but "
        f"{mean:.2f} are drawn on average over {N_SEEDS} seeds, given {small}",
    )
