"""Three newcomers' first days, as scripts: a student, an engineer, an organiser."""

from pathlib import Path

import pandas as pd
import pytest

import leadline
from leadline.app.opening import open_project
from leadline.app.serve import Options, make_site
from leadline.io.datasets import COLLECTION
from tests.app.visitors import signed_in
from tests.cli.program import call, good
from tests.newcomers import beir_folder


def test_an_engineer_brings_a_beir_folder_and_three_retrievers(tmp_path: Path) -> None:
    folder = beir_folder(tmp_path / "beir")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert good(call("lint", *files)).rows() == []
    scored = good(call("evaluate", folder, "--wide", "-m", "ndcg_at_10", "-m", "RR"))
    assert [row["run"] for row in scored.rows()] == ["bm25", "dense", "splade"]
    assert {row["RR"] for row in scored.rows()} == {"0.75"}
    assert "splade.csv: has 3 columns and no header: read as topic doc score" in scored.err
    asked = good(call("next", folder, "--budget", "9"))
    assert {(row["topic"], row["doc"]) for row in asked.rows()} <= {
        ("q1", "d2"),
        ("q1", "d4"),
        ("q2", "d2"),
    }
    said = call("gate", folder, "--baseline", "bm25", "--new", "dense", "-m", "nDCG@10")
    assert said.code == 3, "two topics decide nothing"
    assert {row["verdict"] for row in said.rows()} == {"undecided"}
    page = tmp_path / "report.html"
    good(call("report", folder, "-m", "nDCG@10", "-o", page))
    # The query of what to judge stands on the first screen.
    assert "For topic q" in page.read_text()
    assert "how deep is the water" in page.read_text()
    made = good(call("judge", "--init", folder))
    assert "the judgments of qrels/test.tsv count" in made.err
    judging = open_project(folder)
    try:
        site = make_site(judging, Options())
        shown = signed_in(site, "ann").post("/api/next").json()
        # The query stands beside what is to be judged.
        assert "how deep is the water" in str(shown) or "which knot holds" in str(shown)
    finally:
        judging.close()


def test_a_student_has_the_tables_of_pyterrier() -> None:
    ranked = {"qid": ["1", "1", "2"], "docno": ["d2", "d1", "d3"], "score": [3.0, 2.0, 1.0]}
    results = pd.DataFrame({**ranked, "rank": [0, 1, 0], "query": ["a", "a", "b"]})
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": ["d1", "d3"], "label": [1, 1]})
    scored = leadline.evaluate(qrels, {"bm25": results}, ["map", "recip_rank"])
    assert scored.wide().rows() == [("bm25", 0.75, 0.75)]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """126 runs: those of the demo by other names and with other scores."""
    runs = sorted(leadline.read(COLLECTION).runs.names)[:6]
    (tmp_path / "runs").mkdir()
    for number in range(126):
        lines = [
            f"{topic} Q0 {runs[number % 6]}-{doc % (3 + number % 7)}-{doc} {doc} {20 - doc}.5 x"
            for topic in range(1, 4)
            for doc in range(10)
        ]
        (tmp_path / "runs" / f"team{number:03}.run").write_text("\n".join(lines) + "\n")
    judged = [
        f"{topic} 0 {run}-{doc % 3}-{doc} {doc % 2}"
        for topic in range(1, 4)
        for run in runs
        for doc in range(10)
    ]
    (tmp_path / "qrels.txt").write_text("\n".join(judged) + "\n")
    return tmp_path


def test_an_organiser_has_126_runs(many: Path) -> None:
    best = good(call("evaluate", many, "--top", "5", "--wide", "-m", "official"))
    assert len(best.rows()) == 5
    assert best.rows()[0]["NumQ"] == "3.0"
    lines = good(call("evaluate", many, "-m", "official", "--format", "trec_eval", "--quiet"))
    assert lines.out.count("runid") == 126
    assert lines.err == ""
    pairs = good(call("compare", many, "-m", "P@10", "--format", "table"))
    # Not 7,875 lines on a terminal: those with the best run, and where to find the others.
    assert "pairs without the best run: -o pairs.csv writes them all" in pairs.out
    assert len(pairs.out.splitlines()) < 300
    pool = good(call("pool", many, "-s", "Depth(d=5)", "--unjudged"))
    assert {row["judged"] for row in pool.rows()} == {"false"}
