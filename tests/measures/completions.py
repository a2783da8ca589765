"""Every way to judge the unjudged documents of a short list with subtopics."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.diversity import sketch_subtopics
from leadline.measures.measure import parse_measure
from tests.tries import tries

SUBTOPICS = "ab"
LABELS = ["?", "?", "-", "a", "b", "a,b"]
FEW = tries(6)
"""Each tries dozens of completions."""


def ends(name: str, ranking: str, elsewhere: str) -> tuple[float, float, float]:
    scores = parse_measure(name).score(sketch_subtopics(ranking, elsewhere))
    return tuple(float(array[0, 0]) for array in (scores.value, scores.lower, scores.upper))  # type: ignore[return-value]


def subsets() -> list[str]:
    found = []
    for chosen in product([False, True], repeat=len(SUBTOPICS)):
        text = ",".join(name for name, take in zip(SUBTOPICS, chosen, strict=True) if take)
        found.append(text or "-")
    return found


def completions(marks: list[str], elsewhere: str) -> list[tuple[str, str]]:
    """Every way to judge the unjudged documents, and one more document that nobody listed."""
    choices = [subsets() if mark == "?" else [mark] for mark in marks]
    return [
        (" ".join(listed), f"{elsewhere} {unseen}")
        for *listed, unseen in product(*choices, subsets())
    ]


lists = st.lists(st.sampled_from(LABELS), min_size=1, max_size=4).filter(
    lambda marks: 1 <= marks.count("?") <= 2
)


def check_ends(name: str, lower_end: float | None = None, tails: tuple[str, ...] = ("",)) -> None:
    """The ends are the least and the most over all completions, with what may follow the list.

    `lower_end` is given where unseen documents, of which there may be any number, decide it.
    """

    @FEW
    @given(marks=lists, other=st.sampled_from(["a", "a b", "a,b"]))
    def check(marks: list[str], other: str) -> None:
        # Both subtopics are named, whether or not a document suits them.
        elsewhere = f"{other} a:0,b:0"
        value, lower, upper = ends(name, " ".join(marks), elsewhere)
        scores = [
            ends(name, f"{ranking} {tail}", more)[0]
            for ranking, more in completions(marks, elsewhere)
            for tail in tails
        ]
        assert lower <= value <= upper
        least = min(scores) if lower_end is None else lower_end
        assert lower == pytest.approx(least, abs=1e-12)
        assert upper == pytest.approx(max(scores), abs=1e-12)

    check()
