"""How people judge: what is compared with what, and when a flag is raised."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.app.gold import GoldAnswer
from leadline.app.quality import CHANCE, LEAST, is_below, quality, reference
from leadline.judging.ledger import Entry
from leadline.judging.merge import Merging, Votes
from leadline.judging.project import Thresholds


def acts(grades: list[int], seconds: float | None = 9.0) -> list[tuple[int, Entry]]:
    return [
        (
            at,
            Entry(
                "judge", "1", f"d{at}", grade, "ann", f"2026-01-01T00:{at:02}:00", seconds=seconds
            ),
        )
        for at, grade in enumerate(grades)
    ]


def votes(ann: list[int], *others: list[int]) -> Votes[int]:
    made: Votes[int] = Votes(Merging())
    for who, grades in zip(("ann", "ben", "cat"), (ann, *others), strict=False):
        for at, grade in enumerate(grades):
            made.add(at, Entry("judge", "1", f"d{at}", grade, who))
    return made


def gold(right: int, wrong: int, training: bool = False) -> list[GoldAnswer]:
    said = [1] * right + [0] * wrong
    return [
        GoldAnswer("1", f"g{at}", "ann", each, 1, training, f"2026-01-01T00:{at:02}:30")
        for at, each in enumerate(said)
    ]


def test_a_grade_is_compared_with_the_organisers_or_with_most_others() -> None:
    made = votes([0, 1], [1, 1], [1])
    assert [reference(made, pair, "ann") for pair in (0, 1, 2)] == [1, 1, None]
    made.add(0, Entry("adjudicate", "1", "d0", 0, "boss"))
    assert reference(made, 0, "ann") == 0
    made.add(2, Entry("judge", "1", "d2", 1, "llm", kind="machine"))
    assert reference(made, 2, "ann") is None


@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from([0.5, 0.7, 0.9]))
def test_somebody_just_good_enough_is_seldom_flagged(right: int, wrong: int, least: float) -> None:
    n = right + wrong
    plainly = sum(comb(n, k) * least**k * (1 - least) ** (n - k) for k in range(right + 1))
    expected = n >= LEAST and right / n < least and plainly < CHANCE
    assert is_below(right, n, least) == expected


@pytest.mark.parametrize("least", [0.5, 0.7])
def test_false_alarms_are_as_seldom_as_they_say(least: float) -> None:
    for n in (5, 10, 30):
        alarm = sum(
            comb(n, k) * least**k * (1 - least) ** (n - k)
            for k in range(n + 1)
            if is_below(k, n, least)
        )
        assert alarm < CHANCE


def test_agreement_gold_and_speed_raise_flags() -> None:
    mine = [0] * 20
    found = quality("ann", acts(mine, 1.0), votes(mine, [1] * 20), gold(1, 7), Thresholds())
    assert (found.compared, found.same, found.gold, found.right) == (20, 0, 8, 1)
    assert found.flags == (
        "1 of 8 gold questions right",
        "agrees with others on 0 of 20 documents",
        "1.0 seconds a document of late",
    )
    allowed = Thresholds(0, 0, 0, 1)
    assert quality("ann", acts(mine, 1.0), votes(mine, [1] * 20), gold(1, 7), allowed).flags == ()


def test_training_is_for_learning() -> None:
    assert quality("ann", [], votes([]), gold(0, 9, training=True), Thresholds()).gold == 0


def test_who_gets_worse_is_flagged_and_who_always_was_so_is_not() -> None:
    others = [1] * 45
    falling = [1] * 24 + [0] * 16
    found = quality("ann", acts(falling), votes(falling, others), [], Thresholds(least_agreement=0))
    assert found.drift == pytest.approx(1 - 4 / 20)
    assert found.flags == ("agreement fell by 80% of late",)
    even = [1, 0] * 20
    steady = quality("ann", acts(even), votes(even, others), [], Thresholds(least_agreement=0))
    assert steady.drift == 0
    assert steady.flags == ()
    assert quality("ann", acts(even[:39]), votes(even, others), [], Thresholds()).drift is None


def test_thresholds_that_make_no_sense_are_refused() -> None:
    for wrong in ({"least_gold": 1.5}, {"most_drift": -0.1}, {"least_seconds": -1.0}):
        with pytest.raises(ValueError, match="must be from 0 to"):
            Thresholds(**wrong)
