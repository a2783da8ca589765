"""The rest of a session played in advance."""

import leadline
from leadline.io.datasets import COLLECTION
from leadline.judging.forecast import Rest, ToGo
from leadline.judging.order import orders
from leadline.judging.session import Session
from leadline.judging.stops import stops
from scripts.to_go_trials import looks
from tests.app.rooms import some_runs

ORDER, STOP = "CertainWinner(p=0.8)", "WinnerCertain(joint=true)"


def test_in_the_true_world_it_takes_what_it_takes() -> None:
    runs, order, stop = some_runs(12), orders.parse(ORDER), stops.parse(STOP)
    session = Session(runs, order, stop)
    course = []
    while session.reason() is None and (asked := session.ask(1)):
        pair = asked[0].pair
        course.append((pair, int(pair % 3 == 0)))
        session.count(*course[-1])
    assert len(course) > 6
    waits = []
    for n in (1, 3, len(course) - 1):
        rest = Rest(runs, order, stop, order.weighted, dict(course[:n]))
        found = rest.play(dict(course[n:]), 1, lambda: waits.append(1))
        assert found == len(course) - n
    assert len(waits) == 3 * len(course) - 4 - (len(course) - 1)


def test_what_was_judged_since_is_taken_off_and_a_budget_is_the_end() -> None:
    assert ToGo(10, 50).since(4) == ToGo(6, 46)
    assert ToGo(10, 50).since(60) == ToGo(1, 1)
    assert ToGo(10, 50).within(30) == ToGo(10, 30)
    assert ToGo(10, 50).within(5) == ToGo(5, 5)
    assert ToGo(10, 50).within(None) == ToGo(10, 50)


def test_on_the_demo_the_truth_is_in_the_range() -> None:
    """At three moments; the slow form looks at ten, on other collections too."""
    found = list(looks(leadline.read(COLLECTION), ORDER, STOP, (0.1, 0.5, 0.9)))
    assert [n for n, _, _ in found] == sorted(n for n, _, _ in found)
    assert all(told.least <= left <= told.most for _, left, told in found)
    # Not so wide as to say nothing.
    assert all(told.most < 5 * told.least for _, _, told in found)
