"""`leadline estimate`: columns, explanations and coverage instead of scores, faults."""

import pytest

from leadline.io.datasets import COLLECTION
from tests.cli.program import call, good

COLUMNS = (
    "run,topic,measure,estimator,value,standard_error,lower,upper,pred_lower,pred_upper,caveats"
)
GIVEN = ("estimate", COLLECTION, "--pool-depth", "3", "-m", "P@5")


def test_it_writes_the_promised_columns() -> None:
    result = good(call(*GIVEN, "-e", "LowerBound", "-e", "UpperBound"))
    assert result.out.splitlines()[0] == COLUMNS
    assert len(result.rows()) == 2 * 24
    for row in result.rows():
        # The bounds as estimates are the ends of the interval.
        end = row["lower"] if row["estimator"] == "LowerBound" else row["upper"]
        assert float(row["value"]) == pytest.approx(float(end))


def test_coverage_tells_gamma_instead_of_scores() -> None:
    rows = good(call(*GIVEN, "-e", "LowerBound", "--coverage", "0.018")).rows()
    assert "gamma" in rows[0]
    assert {row["topic"] for row in rows} == {str(topic) for topic in range(1, 21)}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            ("--explain", "1", "--coverage", "0"),
            "--explain, --coverage, --differences and --self-test exclude each other",
        ),
        (("--coverage", "-1"), "must be a theta of at least 0, not -1.0"),
        (("--coverage", "nan"), "not nan"),
        (("-e", "Nobody"), "no estimator is named Nobody"),
        (("-m", "AP", "-e", "Linear"), "AP"),
    ],
)
def test_faults_are_named_with_exit_2(more: tuple[str, ...], told: str) -> None:
    result = call(*GIVEN, *more)
    assert (result.code, result.out) == (2, "")
    assert told in result.err
    assert "Traceback" not in result.err
