"""Probabilities of subtopics: `topic subtopic probability` in a file, or a mapping."""

import os
from collections.abc import Mapping
from typing import Any

import polars as pl

from leadline.files.fields import NUMBER
from leadline.files.problems import InputError
from leadline.files.scan import lines
from leadline.files.source import check_text, read_source, regular
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
    check_text(source)
    table = lines(regular(source.data))
    fields = table["field"].to_list()
    bad = table.filter(
        (pl.col("n_fields") != 3) | ~pl.col("field").list.get(-1).str.contains(NUMBER)
    )
    if len(bad):
        line, text = bad["line"][0], bad["text"][0]
        message = f'expected topic, subtopic and probability, found "{text[:60]}"'
        raise InputError.of(source.name, "intents", message, line)
    return {(topic, subtopic): float(share) for topic, subtopic, share in fields}
