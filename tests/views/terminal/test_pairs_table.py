"""Pairs and tiers: of many pairs those of the best run, doubts by number."""

import pytest

from leadline.measures.measure import parse_measure
from leadline.stats.pairwise import CUT, Pairwise, compare_pairs
from leadline.views.pair_tables import (
    MOST_PAIRS,
    UNTESTED,
    details_table,
    pairs_tables,
    probability,
    tiers_table,
)
from tests.views.boards import tables
from tests.views.terminal.printed import lines_of, text_of


def compared(
    n_runs: int, n_topics: int = 12, judged: bool = True, baseline: str | None = None
) -> Pairwise:
    """The first run finds the relevant document on every topic, the others on none."""
    runs = {f"r{at}[x]": ["a" if at == 0 else f"z{at}", "u"] for at in range(n_runs)}
    grades = {"a": 1} | ({f"z{at}": 0 for at in range(n_runs)} | {"u": 0} if judged else {})
    return compare_pairs(*tables(runs, grades, n_topics), parse_measure("P@2"), baseline=baseline)


def test_two_runs_are_one_line() -> None:
    lines = lines_of(pairs_tables([compared(2)]))
    row = next(line for line in lines if line[0] == "r0[x]")
    # All is judged: the difference is one of two ranks for certain.
    assert row[1:5] == ["r1[x]", "+0.5000", "[+0.5000,", "+0.5000]"]
    assert "better" in row
    assert CUT not in text_of(pairs_tables([compared(2)]))


def test_of_many_pairs_those_with_the_best_run_are_shown() -> None:
    n = 11
    assert n * (n - 1) // 2 > MOST_PAIRS
    text = text_of(pairs_tables([compared(n)]))
    assert "r0[x] against" in text
    hidden = n * (n - 1) // 2 - (n - 1)
    assert f"and {hidden} pairs without the best run" in text
    # In general, and on these topics.
    assert text.count("better") == 2 * (n - 1)
    assert text.count("better, certain") == n - 1


def test_a_best_run_that_comes_last_is_turned_to_the_front() -> None:
    runs = {f"r{at}": ["z"] for at in range(11)} | {"best": ["a"]}
    pairs = compare_pairs(*tables(runs, {"a": 1, "z": 0}, 12), parse_measure("P@1"))
    text = text_of(pairs_tables([pairs]))
    assert "best against" in text
    assert text.count("+1.0000  [+1.0000, +1.0000]") == 11
    assert "worse" not in text


def test_with_a_baseline_no_tier_is_by_significance() -> None:
    text = " ".join(text_of(pairs_tables([compared(4)])).split())
    assert "by significance" in text
    assert UNTESTED not in text
    made = compared(4, baseline="r1[x]")
    for shown in (pairs_tables([made]), tiers_table(made.tier_frame())):
        text = " ".join(text_of(shown).split())
        assert UNTESTED in text
        assert "tier by certainty" in text
        assert text.count("by significance") == UNTESTED.count("by significance")
        assert "None" not in text


def test_caveats_are_numbered_and_explained() -> None:
    text = text_of(pairs_tables([compared(2, n_topics=3, judged=False)]))
    assert "caveats: 1 few topics, 2 more than a third unjudged" in text
    assert "caveats" not in text_of(pairs_tables([compared(2, n_topics=60)]))


@pytest.mark.parametrize(
    ("p", "text"), [(0.5, "0.5000"), (0.00004, "<.0001"), (float("nan"), ""), (None, "")]
)
def test_a_probability_has_four_digits(p: float | None, text: str) -> None:
    assert probability(p) == text


def test_tiers_come_best_first() -> None:
    lines = lines_of(tiers_table(compared(3).tier_frame()))
    rows = [line for line in lines if line and line[0].startswith("r")][1:]
    assert [(row[0], row[1], row[-2:]) for row in rows] == [
        ("r0[x]", "0.5000", ["1", "1"]),
        ("r1[x]", "0.0000", ["2", "2"]),
        ("r2[x]", "0.0000", ["2", "2"]),
    ]


def test_details_tell_what_it_takes() -> None:
    frame = compared(2, n_topics=12).frame(details=True)
    row = next(line for line in lines_of(details_table(frame)) if line and line[0] == "r0[x]")
    assert row[1:3] == ["r1[x]", "+0.5000"]
    assert "12" in row
