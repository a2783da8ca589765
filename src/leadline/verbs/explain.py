"""explain: which words make the score of a measure that reads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from leadline.collection.inputs import collection_inputs, runs_from
from leadline.diversity.divergence import Divergence
from leadline.diversity.explain import Explanation, explain_list
from leadline.files.problems import InputError, Notices
from leadline.formats.document_files import documents_in
from leadline.measures.measure import measures
from leadline.verbs.evaluate import evaluate_runs


def explain(
    qrels: Any,
    runs: Any = None,
    *,
    run: str,
    topic: str,
    measure: str | Divergence = "DELTArb@20",
    **options: Any,
) -> pl.DataFrame:
    """Columns rank, doc, subtopic, gain, weight, word, part of a run on a topic.

    Inputs and options are those of `evaluate`; the measure is one that reads documents.
    """
    return explain_run(qrels, runs, run, topic, measure, **options)[0].frame


def explain_run(
    qrels: Any,
    runs: Any,
    run: str,
    topic: str,
    measure: str | Divergence = "DELTArb@20",
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> tuple[Explanation, Notices]:
    """The same with the score, and what should be said."""
    made = measures.parse(measure) if isinstance(measure, str) else measure
    if not isinstance(made, Divergence):
        raise ValueError(f"only measures that read documents can be explained, {made} does not")
    if runs is None:
        folder = Path(qrels)
        qrels, runs = collection_inputs(folder, need_qrels=False, subtopics=True)
        options["docs"] = options.get("docs") or documents_in(folder)
    named = {each.name: each for each in runs_from(runs)}
    if run not in named:
        some = ", ".join(list(named)[:10])
        raise InputError.of("", "no-run", f"there is no run named {run}: choose one of {some}")
    result = evaluate_runs(qrels, {run: named[run].what}, made, progress=progress, **options)
    assert result.read is not None
    if topic not in result.read.topics:
        raise InputError.of("", "no-topic", f"topic {topic} has no judgments per subtopic")
    found = explain_list(made, result.read, 0, result.read.topics.index(topic))
    return found, result.notices
