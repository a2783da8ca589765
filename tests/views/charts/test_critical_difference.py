"""The critical-difference diagram: its data, and that it can always be drawn."""

import io

import pytest

from leadline.measures.measure import parse_measure
from leadline.stats.pairwise import Pairwise, compare_pairs
from leadline.views.critical_difference import critical_difference, diagram_data
from tests.collections import Small

TOPICS = [str(number) for number in range(12)]


def pairs(
    runs: dict[str, str], judged: dict[str, int], name: str = "P@2", baseline: str | None = None
) -> Pairwise:
    lists = {run: dict.fromkeys(TOPICS, docs.split()) for run, docs in runs.items()}
    made = Small(lists, dict.fromkeys(TOPICS, judged), 1).tables()
    return compare_pairs(*made, parse_measure(name), baseline=baseline)


def test_bars_join_what_cannot_be_told_apart() -> None:
    made = pairs({"a": "x y", "b": "x u", "c": "z u"}, {"x": 1, "y": 1, "z": 0})
    runs, bars = diagram_data(made, "certainty")
    assert runs["run"].to_list() == ["a", "b", "c"]
    # u is open in b and c: it can lift b to a, and moves b and c alike.
    assert bars.rows() == [(0, 1, 2)]
    _, bars = diagram_data(made, "significance")
    assert bars.is_empty()


@pytest.mark.parametrize("judged", [{}, {"x": 1, "y": 0}])
@pytest.mark.parametrize("name", ["P@2", "AP"])
@pytest.mark.parametrize("by", ["certainty", "significance"])
def test_it_can_be_drawn_whatever_there_is(judged: dict[str, int], name: str, by: str) -> None:
    made = pairs({"a": "x y", "b": "x y", "c[1]": "y z"}, judged, name)
    out = io.StringIO()
    critical_difference(made, by).save(out, format="svg")  # type: ignore[arg-type]
    assert "c[1]" in out.getvalue()
    assert "NaN" not in out.getvalue()


def test_with_a_baseline_no_bar_joins_runs_that_were_not_tested() -> None:
    lists = {"a": "x y", "b": "x z", "c": "z u"}
    made = pairs(lists, {"x": 1, "y": 1, "z": 0, "u": 0}, baseline="c")
    runs, bars = diagram_data(made, "significance")
    assert bars.is_empty()
    assert runs["tier"].is_null().all()
    assert runs["verdict"].to_list() == ["better", "better", "baseline"]
    out = io.StringIO()
    critical_difference(made).save(out, format="svg")
    assert "against c (" in out.getvalue()
    assert "other pairs are not tested" in out.getvalue()
    assert "a bar joins" not in out.getvalue()
