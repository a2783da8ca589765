"""Folders and tables as newcomers bring them."""

import json
import sys
from pathlib import Path

import pytest


def beir_folder(folder: Path) -> Path:
    """A BEIR folder as an engineer has it, with the rankings of three retrievers."""
    texts = {
        "d1": ("Lead lines", "A rope with a weight sounds the depth."),
        "d2": ("Tides", "Water rises and falls twice a day."),
        "d3": ("Knots", "A bowline does not slip."),
        "d4": ("", "Charts show soundings in fathoms."),
    }
    corpus = [{"_id": doc, "title": title, "text": text} for doc, (title, text) in texts.items()]
    queries = {"q1": "how deep is the water", "q2": "which knot holds"}
    (folder / "qrels").mkdir(parents=True)
    (folder / "runs").mkdir()
    write_lines(folder / "corpus.jsonl", corpus)
    write_lines(folder / "queries.jsonl", [{"_id": q, "text": text} for q, text in queries.items()])
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\n")
    bm25 = "q1 Q0 d1 1 3.1 a\nq1 Q0 d4 2 2.2 a\nq2 Q0 d2 1 2.2 a\nq2 Q0 d3 2 1.1 a\n"
    (folder / "runs" / "bm25.run").write_text(bm25)
    dense = {"q1": {"d4": 3.0, "d1": 2.5}, "q2": {"d3": 4.0, "d2": 1.0}}
    (folder / "runs" / "dense.json").write_text(json.dumps(dense))
    (folder / "runs" / "splade.csv").write_text("q1,d2,9.0\nq1,d1,8.0\nq2,d3,2.0\n")
    return folder


def write_lines(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def without_package(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As if it were not installed."""
    monkeypatch.setitem(sys.modules, name, None)
