"""One verdict of several measures, the exit code, the worst slice."""

import polars as pl
import pytest

from leadline.stats.gate import GateOutcome, GateRow, Verdict


def row(verdict: Verdict, of: str = "all", difference: float | None = 0.0) -> GateRow:
    ends, settled = (None,) * 5, (verdict, "open", "", None)
    return GateRow("P@5", of, difference, *ends, verdict, *settled, *(None,) * 5, 9, None, None)


def outcome(*rows: GateRow, strict: bool = False) -> GateOutcome:
    how = ("old", "new", 0.01, 0.95)
    return GateOutcome(*how, "not_worse", "holm", None, list(rows), pl.DataFrame(), strict)


@pytest.mark.parametrize(
    ("said", "verdict", "code"),
    [
        (("not_worse", "not_worse"), "not_worse", 0),
        (("not_worse", "undecided"), "undecided", 3),
        (("worse", "undecided"), "worse", 1),
        (("undecided", "worse", "not_worse"), "worse", 1),
        (("equivalent", "different"), "different", 1),
    ],
)
def test_one_verdict_of_several(said: tuple[Verdict, ...], verdict: str, code: int) -> None:
    whole = outcome(*map(row, said))
    assert (whole.verdict, whole.exit_code) == (verdict, code)


def test_slices_count_only_if_asked() -> None:
    rows = (row("not_worse"), row("worse", "a"), row("undecided", "b"))
    assert outcome(*rows).exit_code == 0
    assert outcome(*rows, strict=True).exit_code == 1
    assert outcome(rows[0], rows[2], strict=True).exit_code == 0


def test_the_worst_slice_has_the_lowest_difference() -> None:
    rows = (row("undecided", difference=-0.9), row("undecided", "a", 0.1), row("worse", "b", -0.1))
    assert outcome(*rows, row("undecided", "c", None)).worst_slices == {"P@5": "b"}
    assert outcome(rows[0]).worst_slices == {}
