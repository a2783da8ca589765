"""Questions that make a judging project, each with an answer that Enter takes."""

from pathlib import Path
from typing import Any

import typer

QUESTIONS = [
    ("title", "Title", "Judging"),
    ("runs", "Runs: a folder, a file or a glob", "runs"),
    ("topics", "Topics: a file with columns topic, query, description", "topics.tsv"),
    ("documents", "Documents: a jsonl file, a folder or an address with {doc}", ""),
    ("guidelines", "Guidelines: a Markdown file, or a folder with TOPIC.md", ""),
    ("order", "Order (leadline list orders)", "Difference(p=0.8)"),
    ("stop", "Stop (leadline list stops)", "BestCertain(joint=true)"),
    ("assessors_per_document", "How many judge each document", 1),
]


def ask_for_project(folder: Path, settings: dict[str, Any], scale: str | None) -> str:
    """Fill in what was not given; the scale that was chosen."""
    from leadline.verbs.judge import lying_there

    found = lying_there(folder)
    for name, words, usual in QUESTIONS:
        if settings[name] is None:
            settings[name] = typer.prompt(words, default=found.get(name, usual), err=True)
    if settings["merge"] is None and settings["assessors_per_document"] > 1:
        words = "Merge by majority, latest or adjudicated"
        settings["merge"] = typer.prompt(words, default="majority", err=True)
    if scale is None:
        scale = typer.prompt("Scale: binary or graded", default="graded", err=True)
    return str(scale)
