"""Questions that make a judging project, each with an answer that Enter takes."""

import os
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
    """Fill in what was not given; the scale that was chosen.

    Every answer is checked when it is given, and asked for again if it cannot be used.
    """
    from leadline.judging.room.new_settings import PATHS, checked, lying_there

    def ask(name: str, words: str, usual: Any) -> Any:
        def use(answer: str) -> Any:
            if isinstance(usual, int) and not str(answer).isdecimal():
                raise typer.BadParameter(f"{answer} is not a whole number")
            try:
                return checked(name, type(usual)(answer), folder)
            except ValueError as problem:
                raise typer.BadParameter(str(problem)) from None

        try:
            return typer.prompt(words, default=usual, value_proc=use, err=True)
        except typer.Abort:  # No more answers come.
            raise KeyboardInterrupt from None

    found = lying_there(folder)
    for name, words, usual in QUESTIONS:
        if settings[name] is None:
            if name in PATHS:
                # Shown as it would be typed here, if it is there.
                path = folder / found.get(name, str(usual))
                usual = os.path.relpath(path) if path != folder and path.exists() else ""
            settings[name] = ask(name, words, usual)
    if settings["merge"] is None and settings["assessors_per_document"] > 1:
        settings["merge"] = ask("merge", "Merge by majority, latest or adjudicated", "majority")
    if scale is None:
        scale = ask("scale", "Scale: binary or graded", "graded")
    return str(scale)
