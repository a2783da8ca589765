"""Probabilities of subtopics: `topic subtopic probability` in a file, or a mapping."""

import os
from collections.abc import Mapping
from typing import Any

import polars as pl

from leadline.files.faults import is_number, numbered_lines, shown
from leadline.files.problems import InputError
from leadline.files.source import read_source
from leadline.tables.subtopic_grades import Intents
from leadline.tables.subtopics import Subtopics


def intents_from(what: Any, subtopics: Subtopics) -> Intents:
    """The probability of each (topic, subtopic); every topic with judgments must have some."""
    if isinstance(what, str | os.PathLike):
        name, found = os.fspath(what), _read(what)
    elif isinstance(what, Mapping):
        name = "intents"
        found = {
            (str(topic), str(subtopic)): float(share)
            for topic, inner in what.items()
            for subtopic, share in inner.items()
        }
    else:
        raise InputError.of("intents", "intents", f"expected a file or a mapping, not {what!r}")
    wrong = next((key for key, share in found.items() if not 0 <= share < float("inf")), None)
    if wrong is not None:
        message = f"topic {wrong[0]}, subtopic {wrong[1]}: {found[wrong]} is no probability"
        raise InputError.of(name, "intents", message)
    some = {topic for (topic, _), share in found.items() if share > 0}
    judged = subtopics.frame.filter(pl.col("grade") > 0)["topic"].unique().to_list()
    missing = sorted(set(judged) - some)
    if missing:
        message = f"has no probability for topic {missing[0]}, which has judgments"
        raise InputError.of(name, "intents", message)
    return found


def _read(path: str | os.PathLike[str]) -> dict[tuple[str, str], float]:
    source = read_source(path)
    found = {}
    for number, fields in numbered_lines(source):
        if len(fields) != 3 or not is_number(fields[2]):
            text = shown(" ".join(fields), 60)
            message = f"expected topic, subtopic and probability, found {text}"
            raise InputError.of(source.name, "intents", message, number)
        found[fields[0], fields[1]] = float(fields[2])
    return found
