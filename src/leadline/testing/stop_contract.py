"""What a stopping rule promises: one answer to one question, and an end."""

from leadline.judging.session import Session
from leadline.judging.stops import Stop, stops
from leadline.orders.doubt import Doubt
from leadline.orders.random_order import Random
from leadline.testing.naming_contract import check_name
from leadline.testing.small_collection import SmallCollection, small_collections
from leadline.testing.violation import demand, no_errors


def check_stop(stop: Stop | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the rule breaks a promise on one of n small collections.

    While pairs are judged in a random order, or by Doubt where the rule asks for a model, it gives
    no reason or one in words, the same when asked twice; what it says is left, or missing, is never
    below 0; nothing is left only when there is a reason, and nothing is missing when there is one.
    """
    stop = check_name(stops, stop)
    for small in small_collections(n, seed):
        with no_errors(stop, small):
            _check_session(stop, small)


def _check_session(stop: Stop, small: SmallCollection) -> None:
    runs, judgments = small.tables()
    order = Doubt(pilot=2, batch=2) if stop.needs_model else Random()
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
