"""The order in which topics stand in every table."""

from collections.abc import Iterable


def topic_order(topics: Iterable[str]) -> list[str]:
    """Topic names in the order people count them: 9 before 10, numbers before words.

    >>> topic_order(["10", "9", "b", "a2"])
    ['9', '10', 'a2', 'b']
    """
    return sorted(
        topics,
        key=lambda name: (
            (0, int(name), name) if name.isascii() and name.isdigit() else (1, 0, name)
        ),
    )
