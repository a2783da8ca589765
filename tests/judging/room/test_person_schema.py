"""People and secrets have tables of their own."""

from leadline.judging.room.person_schema import people, secrets_


def test_no_secret_is_kept_as_it_is() -> None:
    assert "hash" in secrets_.columns
    assert {"password", "closed"} <= set(people.columns.keys())
