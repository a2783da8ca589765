"""The frames of webber09 hold what the cells gave, manual first and narrow before wide."""

from typing import Any

from leadline.lab.papers.runner import Setting
from leadline.lab.papers.webber09 import INTERVALS, by_width, coverage, frames, table1

SETTING = Setting("folder/sea", quick=True)


def cell(width: int) -> dict[str, Any]:
    """All errors are one over the width, and half of that if put right."""
    error = 1 / width
    common = {
        "unadjusted": error,
        "mixed": error / 2,
        "plain": 0.123,
        "unadjusted_rest": 2 * error,
        "adjusted_rest": error / 3,
        "adjusted": error / 4,
        "better": 0.75,
        "normal": 0.9,
        "t": 0.93,
        "bootstrap": 0.91,
        "padded": 0.95,
    }
    return {
        "runs": 24,
        "topics": 20,
        "newcomers": 3,
        "notices": ["noticed"],
        "bias": {name: [-error, -2 * error, -error / 2] for name in ("irrelevant", "condensed")},
        "raw": error,
        "adjusted": error / 2,
        "systems_bias": 0.0,
        "topics_by": {name: {"10": common, "20": common} for name in ("irrelevant", "condensed")},
        "tighter_irrelevant": 0.8,
        "tighter_condensed": 0.6,
    }


RESULTS = {
    f"{kind} {width}": cell(width) for width in (10, 2, 4) for kind in ("automatic", "manual")
}


def test_cells_come_by_kind_and_width() -> None:
    assert [(kind, width) for kind, width, _ in by_width(RESULTS)] == [
        (kind, width) for kind in ("manual", "automatic") for width in (2, 4, 10)
    ]
    named = by_width({"run a,run b 2": cell(2), "manual 2": cell(2)})
    assert [kind for kind, _, _ in named] == ["manual", "run a,run b"]


def test_table_1_is_raw_and_adjusted() -> None:
    assert table1(RESULTS).row(0) == ("manual", 2, 0.5, 0.25)


def test_tables_2_to_4_share_the_rest() -> None:
    made = frames(RESULTS, SETTING)
    assert set(made["table2"].select("newcomers", "treatment").rows()) == {
        ("automatic", "irrelevant")
    }
    assert set(made["table3"]["treatment"]) == {"condensed"}
    assert set(made["table4"]["newcomers"]) == {"manual"}
    assert made["table4"].row(0) == (
        *("manual", "irrelevant", 2, 10),
        *(0.5, 0.25, 0.123, 0.125, 1.0, 0.5 / 3),
    )
    assert len(made["table2"]) + len(made["table3"]) == len(made["table4"]) == 3 * 2 * 2


def test_figure_1_has_the_quartiles() -> None:
    first = frames(RESULTS, SETTING)["figure1"].row(0, named=True)
    assert (first["mean"], first["q1"], first["q3"]) == (-0.5, -1.0, -0.25)


def test_every_interval_is_in_coverage() -> None:
    frame = coverage(RESULTS)
    assert frame["interval"].unique(maintain_order=True).to_list() == list(INTERVALS)
    assert dict(frame.head(4).select("interval", "held").rows())["padded"] == 0.95
    mean = frames(RESULTS, SETTING)["sample_mean"].row(0, named=True)
    assert (mean["varies_less"], mean["nearer"]) == (0.8, 0.75)
