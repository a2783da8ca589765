"""A target for whole verbs: they read the same bytes alike, and score what the rules say."""

import numpy as np

from leadline.api.evaluate import evaluate
from leadline.io.problems import InputError
from leadline.io.read import read
from tests.fuzz.target import may_refuse, scratch, target
from tests.reference.formats import Parsed, parse_qrels, parse_run

BETWEEN = b"\n=====\n"
"""Stands between the qrels and the run of an input."""


@target("pairs", share=2)
def verbs_agree(data: bytes) -> None:
    """evaluate's join and the collection of all other verbs see one P@2, the reference's."""
    qrels_bytes, _, run_bytes = data.partition(BETWEEN)
    qrels, run = scratch(qrels_bytes, "qrels"), scratch(run_bytes, "run")
    scores: dict[str, float] | None = None
    told = ""
    try:
        result = evaluate(qrels, run, "P@2", per_topic=True)
        scores = dict(
            result.frame.filter(result.frame["topic"] != "all").select("topic", "value").rows()
        )
    except InputError as error:
        told = str(error)
        with may_refuse():
            raise
    held: dict[str, float] | None = None
    try:
        held = _precision(read(qrels, run))
    except InputError as error:
        assert str(error) == told, f"another refusal: {error} and {told}"
    assert held == scores, (held, scores)
    wanted = _by_rules(parse_qrels(qrels_bytes), parse_run(run_bytes))
    if wanted is not None and scores is not None:
        assert scores == wanted, (scores, wanted)


def _precision(collection: object) -> dict[str, float]:
    """P@2 by topic, from ranked pairs and judgments as every verb but evaluate has them."""
    runs, judgments = collection.runs, collection.judgments  # type: ignore[attr-defined]
    found = {}
    for number, topic in enumerate(runs.pairs.topics):
        start, stop = int(runs.start[0, number]), int(runs.stop[0, number])
        pairs = runs.pair[start:stop][:2]
        relevant = judgments.judged[pairs] & (judgments.grade[pairs] >= 1)
        found[topic] = int(relevant.sum()) / 2
    return found


def _by_rules(qrels: Parsed, run: Parsed) -> dict[str, float] | None:
    """P@2 by topic of sound TREC files without subtopics; None for others."""
    if qrels.faults or run.faults:
        return None
    grades: dict[tuple[object, object], object] = {}
    for _, topic, _, doc, grade, *_ in qrels.rows:
        if grades.setdefault((topic, doc), grade) != grade:
            return None
    if not grades:
        return None
    lists: dict[object, list[tuple[np.float32, bytes, str]]] = {}
    with np.errstate(over="ignore"):
        for _, topic, doc, score in run.rows:
            assert isinstance(doc, str)
            lists.setdefault(topic, []).append((np.float32(score), doc.encode(), doc))
    found = {}
    for topic in {topic for (topic, _), grade in grades.items() if grade != -1}:
        best = [doc for _, _, doc in sorted(lists.get(topic, []), reverse=True)[:2]]
        found[str(topic)] = sum(int(grades.get((topic, doc), 0)) >= 1 for doc in best) / 2
    return found
