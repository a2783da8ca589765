"""correlate: the runs that both tables score, by name; what is left out is said."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leadline
from leadline.io.problems import InputError
from tests.views.terminal.printed import text_of

A = {"x": 0.5, "y": 0.4, "z": 0.1}
TURNED = {"x": 0.1, "y": 0.4, "z": 0.5}


def value(name: str, *tables: Any, **options: Any) -> Any:
    return leadline.correlate(*tables, **options).filter(statistic=name)["value"].item()


def test_the_same_order_and_the_opposite_one() -> None:
    assert value("kendall_tau_b", A, A) == 1.0
    assert value("kendall_tau_b", A, TURNED) == -1.0


def test_runs_are_met_by_name_not_by_place() -> None:
    shuffled = {name: A[name] for name in ("z", "x", "y")}
    result = leadline.correlate(A, shuffled)
    assert result.scores.rows() == [("x", 0.5, 0.5), ("y", 0.4, 0.4), ("z", 0.1, 0.1)]
    assert value("kendall_tau_b", A, shuffled) == 1.0


def test_runs_of_one_table_are_left_out_and_named() -> None:
    result = leadline.correlate(A | {"only": 0.9}, A)
    assert len(result.scores) == 3
    assert "1 runs that the other table does not score are left out: only" in "".join(
        result.notices.lines()
    )
    with pytest.raises(InputError, match="takes two runs that both tables score, found 1"):
        leadline.correlate(A, {"x": 1.0, "w": 0.0})


def scores() -> pl.DataFrame:
    rows = [
        (run, topic, measure, value)
        for measure, sign in (("P@5", 1.0), ("AP", -1.0))
        for topic in ("1", "2", "all")
        for run, value in (("x", 0.5 * sign), ("y", 0.25 * sign))
    ]
    return pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")


def test_a_measure_for_both_or_one_for_each_however_spelled() -> None:
    assert value("kendall_tau_b", scores(), scores(), measures="P_5") == 1.0
    assert value("kendall_tau_b", scores(), scores(), measures=["P@5", "map"]) == -1.0
    with pytest.raises(ValueError, match="one measure for both tables or one for each, not 3"):
        leadline.correlate(scores(), scores(), measures=["P@5", "AP", "P@5"])


def estimates() -> pl.DataFrame:
    """As `estimate` gives them: ListMean orders the runs as `scores` by P@5 does, TwoStage
    the other way.
    """
    rows = [
        (run, "all", "P@5", estimator, value * sign)
        for estimator, sign in (
            ("ListMean", 1.0),
            ("TwoStage(group_by=runs)", -1.0),
            ("TwoStage", -2.0),
        )
        for run, value in (("x", 0.5), ("y", 0.25))
    ]
    columns = ["run", "topic", "measure", "estimator", "value"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def test_an_estimator_is_chosen_in_the_table_that_has_several() -> None:
    truth = scores()
    with pytest.raises(
        InputError, match="holds 3 estimators, choose one with `estimators`: ListMean, "
    ):
        leadline.correlate(truth, estimates(), measures="P@5")
    for name, expected in (
        ("ListMean", 1.0),
        ("TwoStage", -1.0),
        ("TwoStage(group_by=runs)", -1.0),
    ):
        given = {"measures": "P@5", "estimators": name}
        assert value("kendall_tau_b", truth, estimates(), **given) == expected
        assert value("kendall_tau_b", estimates(), truth, **given) == expected
    both = {"measures": "P@5", "estimators": ["ListMean", "TwoStage"]}
    assert value("kendall_tau_b", estimates(), estimates(), **both) == -1.0


@pytest.mark.parametrize(
    ("tables", "names", "told"),
    [
        ((scores(), scores()), "ListMean", "has no estimators, so no ListMean$"),
        (
            (scores(), estimates()),
            ["LowerBound", "ListMean"],
            "has no estimators, so no LowerBound. Name only the other",
        ),
        ((scores(), estimates()), "LowerBound", "has no estimator LowerBound, it has: ListMean, "),
    ],
)
def test_an_estimator_that_chooses_nothing_is_refused(tables: Any, names: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        leadline.correlate(*tables, measures="P@5", estimators=names)


def test_the_picture_names_what_each_place_is_by(tmp_path: Path) -> None:
    assert leadline.correlate(scores(), scores(), measures=["P@5", "AP"]).titles == ("P@5", "AP")
    assert leadline.correlate(A, A).titles == ("scores, a", "scores, b")
    files = [tmp_path / "deep.csv", tmp_path / "shallow.csv"]
    for file in files:
        scores().filter(measure="AP").write_csv(file)
    result = leadline.correlate(*files)
    assert result.titles == tuple(f"AP ({file})" for file in files)
    drawn = result.chart().to_dict()["layer"][1]["encoding"]
    assert drawn["x"]["title"] == f"place by AP ({files[0]})"


def test_topics_that_both_have_are_compared_by_strength() -> None:
    names = set(leadline.correlate(A, A)["statistic"])
    both = leadline.correlate(scores(), scores(), measures="P@5")
    more = set(both["statistic"]) - names
    assert more
    means = scores().filter(topic="all")
    without = leadline.correlate(scores(), means, measures="P@5")
    assert more.isdisjoint(without["statistic"])


def test_counts_are_whole_numbers_in_the_table() -> None:
    text = text_of(leadline.correlate(A, A).table())
    line = next(line for line in text.splitlines() if line.startswith("kendall_tau_b"))
    assert line.split() == ["kendall_tau_b", "1.0000"]
    assert any(line.split()[-1] == "3" for line in text.splitlines() if line.split())
