"""The draws of webber09: which there are, and what is counted over them."""

import numpy as np
import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.papers import webber09_plan
from leadline.lab.papers.runner import Setting
from leadline.lab.papers.webber09_plan import (
    WIDTHS,
    _common,
    cells,
    common_sizes,
    newcomers,
    width_of,
)

SETTING = Setting(str(COLLECTION), quick=True)


def test_wide_pools_come_first_and_leave_somebody_new() -> None:
    found = [cell.name.rsplit(" ", 1) for cell in cells(SETTING)]
    widths = [int(width) for _, width in found]
    assert widths == sorted(widths, reverse=True)
    assert set(widths) <= set(WIDTHS)
    most = {each.kind: len(each.pooled) - (each.kind == "automatic") for each in newcomers(SETTING)}
    assert all(int(width) <= most[kind] for kind, width in found)


@pytest.mark.parametrize(
    ("kind", "n_topics", "sizes"),
    [("manual", 50, [10, 15, 20]), ("automatic", 50, [10, 20, 40]), ("x", 12, [10]), ("x", 8, [4])],
)
def test_common_topics_are_fewer_than_all(kind: str, n_topics: int, sizes: list[int]) -> None:
    assert common_sizes(kind, n_topics) == sizes


def test_runs_that_are_short_of_the_same_everywhere_are_put_right_exactly() -> None:
    true = np.array([[0.5, 0.7, 0.9, 0.3]])
    beta = np.full((1, 4, 1), 0.25)
    nothing, valid = np.zeros((1, 4, 1)), np.ones((1, 1), np.bool_)
    found = _common(beta, true, nothing, valid, 2, 20, np.random.default_rng(0))
    assert found["unadjusted"] == pytest.approx(0.25)
    # Half of the topics are common.
    assert found["mixed"] == pytest.approx(0.125)
    assert found["adjusted"] == pytest.approx(0.0)
    assert found["normal"] == found["t"] == found["bootstrap"] == found["padded"] == 1.0


def test_a_width_has_everything_that_the_tables_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webber09_plan, "QUICK", (2, 5))
    kind = newcomers(SETTING)[0].kind
    cell = width_of(SETTING, kind, 4, np.random.default_rng(0))
    assert set(cell["bias"]) == {"irrelevant", "condensed"}
    # What is taken for irrelevant can only lower a score.
    mean, low, high = cell["bias"]["irrelevant"]
    assert mean <= 0
    assert low <= high <= 0
    assert cell["raw"] == pytest.approx(-mean)
    sizes = {str(n) for n in common_sizes(kind, cell["topics"])}
    assert set(cell["topics_by"]["condensed"]) == sizes


def test_errors_over_the_topics_that_are_not_common_by_hand() -> None:
    """Of four topics one is common: what the others are short of is known for each choice."""
    true = np.array([[0.5, 0.7, 0.9, 0.3]])
    short = np.array([0.4, 0.0, 0.2, 0.2])
    beta = short[None, :, None]
    nothing, valid = np.zeros((1, 4, 1)), np.ones((1, 1), np.bool_)
    found = _common(beta, true, nothing, valid, 1, 4000, np.random.default_rng(0))
    rest = np.array([np.delete(short, at).mean() for at in range(4)])
    assert found["unadjusted_rest"] == pytest.approx(rest.mean(), abs=0.003)
    assert found["adjusted_rest"] == pytest.approx(np.abs(rest - short).mean(), abs=0.005)
    whole = np.abs(short.mean() - short).mean()
    assert found["adjusted"] == pytest.approx(whole, abs=0.004)
    assert found["adjusted"] == pytest.approx(found["adjusted_rest"] * 3 / 4)
    assert found["plain"] == pytest.approx(np.abs(true[0] - true.mean()).mean(), abs=0.01)
