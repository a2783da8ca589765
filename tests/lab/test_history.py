"""A change that makes a method worse is seen."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from leadline.io.problems import InputError
from leadline.lab.benchmark.tables import NAME, earlier, with_history


def tiers(value: float) -> pl.DataFrame:
    row = {"task": "best", "measure": "P@10", "scope": "all", "method": "m", "loss": "regret"}
    return pl.DataFrame([{**row, "value": value, "tier": 1}])


def what(program: str, draws: int = 5) -> dict[str, Any]:
    alike = {"seed": 0, "share_of_topics": 0.5, "budgets": [], "collections": []}
    size = {"most_runs": 40, "most_topics": 25}
    entrants = {"m": {"version": "1"}}
    return (
        {"leadline": "1", "program": program, "draws": draws, "entrants": entrants} | alike | size
    )


def test_the_same_again_is_written_once(tmp_path: Path) -> None:
    with_history(tmp_path, tiers(0.1), what("p"))
    whole, worse = with_history(tmp_path, tiers(0.1), what("p"))
    assert len(whole) == len(earlier(tmp_path)) == 1
    assert worse == []
    assert (tmp_path / NAME).is_file()


def test_a_larger_loss_by_another_program_is_told(tmp_path: Path) -> None:
    with_history(tmp_path, tiers(0.1), what("before"))
    whole, worse = with_history(tmp_path, tiers(0.2), what("after"))
    assert len(whole) == 2
    assert worse == [
        "m is worse than before in best by P@10: regret 0.1000 (version 1, program before), now "
        "0.2000"
    ]
    assert with_history(tmp_path, tiers(0.15), what("third"))[1] == []


def test_of_a_correlation_less_is_worse(tmp_path: Path) -> None:
    def by_tau(value: float) -> pl.DataFrame:
        return tiers(value).with_columns(loss=pl.lit("tau"))

    with_history(tmp_path, by_tau(0.8), what("before"))
    assert with_history(tmp_path, by_tau(0.9), what("after"))[1] == []
    (told,) = with_history(tmp_path, by_tau(0.7), what("third"))[1]
    assert "tau 0.9000" in told
    assert "now 0.7000" in told


def test_what_was_played_otherwise_is_not_compared(tmp_path: Path) -> None:
    with_history(tmp_path, tiers(0.1), what("before"))
    assert with_history(tmp_path, tiers(0.2), what("after", draws=9))[1] == []


@pytest.mark.parametrize("content", [b"value\nmany\n", b"\xff\xfe\0", b""])
def test_what_is_no_history_is_refused_by_name(content: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(InputError, match=r"history\.csv: is no history"):
        earlier(tmp_path)
