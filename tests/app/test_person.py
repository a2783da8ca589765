"""A person as the room knows it."""

from leadline.app.accounts import Person
from leadline.app.room import Assessor


def test_a_person_is_an_assessor_of_that_kind() -> None:
    assert Person("ann").assessor == Assessor("ann")
    assert Person("llm", kind="machine").assessor == Assessor("llm", "machine")
