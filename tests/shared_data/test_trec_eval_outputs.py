"""Our scores are those that trec_eval's own test expects of it."""

from pathlib import Path
from typing import Any

import pytest

import leadline
from tests.shared_data.where import collection

# Of its measures we have no counterpart to these.
OTHERS = ("runid", "gm_bpref", "Rprec_mult", "binG", "G", "ndcg_rel", "Rndcg", "relative_P")
# rbp of version 10 compares gains with two numbers that were never set: see docs/peers.md.
OTHERS += ("set_relative_P", "rbp", "relstring", "11pt_avg_.25,.5,.75", "ndcg_1=3,2=9,4=4.5")
NEAREST = "rounding=nearest"


@pytest.fixture(scope="module")
def folder() -> Path:
    return collection("trec_eval_tests")


def printed(file: Path) -> list[str]:
    """Its lines of measures that we have."""
    return [
        line
        for line in file.read_text().splitlines()
        if line.startswith("runid") or not line.startswith(OTHERS)
    ]


def evaluated(folder: Path, names: str | list[str], **options: Any) -> list[str]:
    """Our lines; these files are of trec_eval 10, which compares scores as doubles."""
    options = {"per_topic": True, "ties": "float64", "undefined": "zero"} | options
    qrels, run = options.pop("qrels", "qrels.test"), options.pop("run", "results.test")
    result = leadline.evaluate(folder / qrels, folder / run, names, **options)
    return result.encoded("trec_eval").decode().splitlines()


@pytest.mark.parametrize(
    ("output", "names", "options"),
    [
        ("out.test", f"official({NEAREST})", {"per_topic": False}),
        ("out.test.a", f"all_trec({NEAREST})", {"per_topic": False}),
        ("out.test.aq", f"all_trec({NEAREST})", {}),
        # Its run has lines with more than six fields, and lacks a judged topic.
        ("out.test.aqc", f"all_trec({NEAREST})", {"run": "results.trunc"}),
        ("out.test.aqcM", f"all_trec({NEAREST})", {"run": "results.trunc", "depth": 100}),
        ("out.test.aql", f"all_trec({NEAREST}, rel=2)", {"qrels": "qrels.rel_level"}),
    ],
)
def test_every_line_whose_measure_exists_is_equal(
    folder: Path, output: str, names: str, options: dict[str, Any]
) -> None:
    expected = printed(folder / output)
    assert len(expected) > 25
    assert sorted(evaluated(folder, names, **options)) == sorted(expected)


def test_parameters_of_measures(folder: Path) -> None:
    levels = [
        f"IPrec(recall={level}, {NEAREST})" for level in ("0.1", "0.2", "0.25", "0.5", "0.75")
    ]
    asked = "P.3,5,7 recall.20,2000 utility.2,-1,0,0 ndcg_cut.10,20,23 success.2,5,20"
    expected = [line for line in printed(folder / "out.test.meas_params") if "map" not in line]
    found = evaluated(folder, [*levels, *asked.split()])
    # trec_eval prints the run's tag only where it is asked for.
    assert sorted(line for line in found if "runid" not in line) == sorted(expected)
