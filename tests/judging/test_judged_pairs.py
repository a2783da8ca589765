"""What is judged, and what of it was given."""

from leadline.judging.ledger import SPENT, JudgedPairs
from tests.collections import Small


def test_what_is_given_stands_apart_from_what_is_told() -> None:
    _, judgments = Small({"a": {"1": ["x", "y", "z"]}}, {"1": {"y": 2}}, 2).tables()
    judged = JudgedPairs(judgments)
    x, y, z = range(3)
    assert judged.given == {y}
    judged.tell(x, 0)
    judged.spent.add(z)
    assert (judged.grade, judged.told) == ({y: 2, x: 0}, {x: 0})
    assert [judged.outcome(pair) for pair in (x, y, z)] == [0, 2, SPENT]
    judged.tell(z, 1)
    assert not judged.spent
    assert judged.retract(z) == 1
    assert judged.outcome(z) is None
    assert len(judged) == 2
