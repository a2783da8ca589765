"""Labels of cheap judges, from whatever a user points at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leadline.collection.inputs import runs_from
from leadline.files.problems import InputError
from leadline.formats.by_content import qrels_from
from leadline.formats.qrels import Qrels
from leadline.formats.read_options import Reading

SHOWN = 3
"""Topics that a message names."""


@dataclass(frozen=True)
class CheapJudge:
    """A judge's name, and its labels in the form of judgments, on a scale of its own."""

    name: str
    labels: Qrels


def cheap_judges(what: Any, reading: Reading) -> list[CheapJudge]:
    """One judge for every file or table; {judge: labels} gives them names.

    >>> [judge.name for judge in cheap_judges({"clicks": {"1": {"a": 3}}}, Reading())]
    ['clicks']
    """
    if what is None:
        return []
    # What the people's grades are to be read as says nothing of another scale.
    own = replace(reading, map_grades=None, subtopics=False)
    return [
        CheapJudge(named.name.removesuffix(".qrels"), qrels_from(named.what, own))
        for named in runs_from(what, reading.notices)
    ]


def check_topics(judges: Iterable[CheapJudge], topics: Sequence[str]) -> None:
    """An InputError if a judge has no label on any of the topics: it would count for nothing."""
    for judge in judges:
        labelled = judge.labels.judged_topics
        if set(topics).isdisjoint(labelled):
            have, want = (", ".join(list(some)[:SHOWN]) for some in (labelled, topics))
            message = f"has no topic in common with the runs: labels have {have}, the runs {want}"
            raise InputError.of(judge.labels.name or judge.name, "no-topics", message)
