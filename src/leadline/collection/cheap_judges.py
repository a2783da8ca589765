"""Labels of cheap judges, from whatever a user points at."""

from dataclasses import dataclass, replace
from typing import Any

from leadline.collection.inputs import runs_from
from leadline.formats.by_content import qrels_from
from leadline.formats.qrels import Qrels
from leadline.formats.read_options import Reading


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
        for named in runs_from(what)
    ]
