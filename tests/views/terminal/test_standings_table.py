"""Where the runs stand: who leads, who can still be best, whose lists end too early."""

from leadline.judging.standings import Standings
from leadline.measures.measure import Weighted
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from leadline.views.standings import (
    FEW,
    chances,
    short_lists,
    standing_line,
    standing_table,
)
from tests.views.boards import tables
from tests.views.terminal.printed import lines_of, text_of


def standings(
    grades: dict[str, int], measure: Weighted, rankings: dict[str, list[str]] | None = None
) -> Standings:
    runs, judgments = tables(rankings, grades, n_topics=1)
    return Standings(runs, measure, judgments)


def test_before_anything_is_found_nobody_leads() -> None:
    line = standing_line(standings({"c": 0}, P(k=2)))
    assert line.startswith("1 judged · no relevant document yet · ")


def test_the_leader_has_its_interval() -> None:
    line = standing_line(standings({"a": 1}, P(k=2)))
    assert "leader good 0.5000 [0.5000, 1.0000]" in line
    assert "can still be best: good" in line


def test_many_runs_are_counted_not_named() -> None:
    many = {f"r{at}": [f"d{at}"] for at in range(FEW + 1)}
    assert chances(standings({}, P(k=1), many)) == f"{FEW + 1} of {FEW + 1} runs can still be best"


def test_certain_is_said_and_what_tails_leave_open() -> None:
    done = standings({"a": 1, "b": 1, "c": 0, "x": 0}, RBP(p=0.5))
    assert chances(done) == "good is certain to be best"
    # good found 3/4 and new 1/4: the tail of 1/4 cannot make that up.
    assert short_lists(done) == []
    close = standings({"a": 1, "b": 0}, RBP(p=0.5), {"one": ["a"], "two": ["b"]})
    assert short_lists(close) == []
    level = standings({"a": 1}, RBP(p=0.5), {"one": ["a"], "two": ["a"]})
    assert short_lists(level)[0].endswith("keep more open than they lack: two 0.5000")
    assert short_lists(standings({}, P(k=2))) == []


def test_those_that_can_be_best_come_first() -> None:
    rankings = {"out": ["b", "c"], "lead": ["a", "y"], "may": ["x", "z"]}
    shown = standing_table(standings({"a": 1, "b": 1, "c": 0}, P(k=2), rankings))
    lines = lines_of(shown)
    assert [line[:2] for line in lines[1:3]] == [["★", "lead"], ["•", "may"]]
    assert lines[3][0] == "out"
    assert "★ leads, • can still be best" in text_of(shown)


def test_only_so_many_are_shown() -> None:
    text = text_of(standing_table(standings({}, P(k=2)), most=1))
    assert "... and 2 more runs" in text
