"""A sound command of every verb over a small collection, for tests to spoil."""

import json
from pathlib import Path

import leadline
from tests.cli.outputs import ASKED, collection

QUICK = ["-m", "P@5"]
BENCHMARK = ["--task", "best", *QUICK, "--budget", "3", "--draws", "1"]


def small(folder: Path) -> Path:
    """The collection, with subtopics, documents and groups for the verbs that read them."""
    made = collection(folder)
    nd = [f"{topic} {doc % 2 + 1} d{doc} 1\n" for topic in range(1, 6) for doc in range(1, 6)]
    (made / "qrels.ndeval.txt").write_text("".join(nd))
    docs = [f'{{"doc": "d{doc}", "text": "fog tide w{doc % 3}"}}\n' for doc in range(12)]
    (made / "docs.jsonl").write_text("".join(docs))
    labels = [f"{topic} 0 d{doc} {doc % 2}\n" for topic in range(1, 6) for doc in range(12)]
    (made / "b.qrels").write_text("".join(labels))
    (made / "search.py").write_text("def search(query):\n    return ['d1', 'd2']\n")
    answers = made / "qrels.txt"
    sampled = leadline.next(made, order="SampledBatches(aim='a,b')", budget=5, simulate=answers)
    (made / "certificate.json").write_text(json.dumps(sampled.certificate()))
    return made


def commands(folder: Path) -> dict[str, list[str]]:
    """Arguments with which each verb ends well; those of one that writes name its file last."""
    files = [str(folder / "qrels.txt"), *(str(folder / "runs" / run) for run in "abc")]
    out = folder.parent / "out"
    out.mkdir(exist_ok=True)
    asked = [word.replace("{in}", str(folder)) for word in ASKED]
    return {
        "evaluate": [*files, *QUICK],
        "explain": [str(folder), "--run", "a", "--topic", "1"],
        "audit": [str(folder / "b.qrels"), *files[1:], "--reference", files[0], *QUICK],
        "label": [str(folder / "asked"), *asked, "--dry-run"],
        "lint": files,
        "merge": [files[0], str(folder / "b.qrels"), "--conflicts", "last"],
        "run": [str(folder / "asked"), "--retriever", f"{folder / 'search.py'}:search"],
        "list": [],
        "plan": [*files, "--budget", "6", "-m", "P@5"],
        "pool": files,
        "next": [*files, "--budget", "3"],
        "judge": [str(out / "project"), "--init", "--title", "x", "--runs", str(folder / "runs")],
        "estimate": [*files, *QUICK, "-e", "LowerBound"],
        "adjust": [*files, "--new", "c", *QUICK, "--pool-depth", "3"],
        "compare": [*files, *QUICK],
        "gate": [*files, *QUICK, "--baseline", "a", "--new", "b", "--margin", "1"],
        "correlate": [str(folder / "a.csv"), str(folder / "b.csv")],
        "report": [*files, *QUICK, "-o", str(out / "page.html")],
        "reproduce": ["moffat07", str(folder), "--quick", "-o", str(out / "paper")],
        "benchmark": [str(folder), *BENCHMARK, "-o", str(out / "benchmark")],
        "verify-certificate": [str(folder / "certificate.json")],
        "demo": ["--copy", str(out / "sea")],
    }
