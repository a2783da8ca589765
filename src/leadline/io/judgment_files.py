"""Judgments and retrieved contexts as search tools export them: nested JSON turned into rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from leadline.io.formats import Reading, formats, is_trec
from leadline.io.json_table import JsonLines, has_lines, json_objects, loaded
from leadline.io.problems import InputError
from leadline.io.qrels import Qrels
from leadline.io.rows import Rows
from leadline.io.source import Source, check_text
from leadline.io.tabular import NAMES, from_records

OPENSEARCH = "judgmentRatings"


def _whole(source: Source) -> Any:
    check_text(source)
    return loaded(source.name, b"".join(source.texts()))


def _has_keys(source: Source, *keys: str) -> bool:
    """Whether the first lines are JSON that names all these keys."""
    head = source.head.lstrip()
    begins = head[:1] in (b"{", b"[") and not is_trec(source)
    return begins and all(b'"%b"' % key.encode() in head for key in keys)


def _listed(what: Any, key: str, name: str, where: str) -> list[Any]:
    """The list of objects under a key; an InputError that says where it is missing."""
    found = what.get(key) if isinstance(what, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        message = f"{where} has no list of objects named {key}"
        raise InputError.of(name, "format", message)
    return found


def _value(what: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """What stands under the first of some names, whatever its case."""
    lower = {str(key).lower(): value for key, value in what.items()}
    return next((lower[name] for name in names if lower.get(name) is not None), None)


@formats.register
@dataclass(frozen=True)
class OpenSearchJudgments(JsonLines):
    """Judgments as OpenSearch's Search Relevance Workbench imports and returns them.

    Formula: {"judgmentRatings": [{"query": "401", "ratings": [{"docId": "a", "rating": "2"}]}]}
    """

    def looks_like(self, source: Source) -> bool:
        return _has_keys(source, OPENSEARCH)

    def table(self, source: Source) -> pl.DataFrame:
        found = _whole(source)
        rows = []
        for at, query in enumerate(_listed(found, OPENSEARCH, source.name, "it"), 1):
            topic = query.get("query")
            for rating in _listed(query, "ratings", source.name, f"query {at}"):
                rows.append(
                    {"topic": topic, "doc": rating.get("docId"), "grade": rating.get("rating")}
                )
        return from_records(rows, source.name)


@formats.register
@dataclass(frozen=True)
class RankEval(JsonLines):
    """Judgments as requests of the ranking evaluation of Elasticsearch and OpenSearch have them.

    Formula: {"requests": [{"id": "401", "ratings": [{"_id": "a", "rating": 2}]}]}
    """

    def looks_like(self, source: Source) -> bool:
        return _has_keys(source, "requests", "ratings")

    def table(self, source: Source) -> pl.DataFrame:
        rows = []
        requests = _listed(_whole(source), "requests", source.name, "it")
        for at, request in enumerate(requests, 1):
            for rating in _listed(request, "ratings", source.name, f"request {at}"):
                values = {"doc": rating.get("_id"), "grade": rating.get("rating")}
                rows.append({"topic": request.get("id"), **values})
        return from_records(rows, source.name)


@formats.register
@dataclass(frozen=True)
class LabelStudio(JsonLines):
    """Judgments as Label Studio exports them: a number, a rating or a choice that is a number.

    Formula: [{"data": {"query": "401", "doc": "a"}, "annotations": [{"completed_by": 1, ...}]}]

    Each annotator is a judge, which the option second_field tells what to do with.
    """

    def looks_like(self, source: Source) -> bool:
        return _has_keys(source, "annotations", "data")

    def table(self, source: Source) -> pl.DataFrame:
        tasks = _whole(source)
        tasks = tasks if isinstance(tasks, list) else [tasks]
        rows = [
            {"line": at, **row} for at, task in enumerate(tasks, 1) for row in self._task(task, at)
        ]
        if not rows:
            raise InputError.of(source.name, "nothing-judged", "has no annotation with a grade")
        # Tasks have no lines; they are counted in messages.
        return from_records(rows, source.name).drop("line")

    def _task(self, task: Any, at: int) -> Iterator[dict[str, Any]]:
        if not isinstance(task, Mapping) or not isinstance(task.get("data"), Mapping):
            raise InputError.of("", "format", f"task {at} has no data")
        data = task["data"]
        pair = {what: _value(data, NAMES[what]) for what in ("topic", "doc")}
        for annotation in task.get("annotations") or []:
            grade = _annotated(annotation.get("result") or [])
            if annotation.get("was_cancelled") or grade is None:
                continue
            judge = annotation.get("completed_by")
            if isinstance(judge, Mapping):
                judge = judge.get("email") or judge.get("id")
            yield {**pair, "grade": str(grade), "iteration": str(judge)}


def _annotated(result: list[Any]) -> Any:
    """The grade in an annotation's result; None if there is none."""
    for part in result:
        value = part.get("value") if isinstance(part, Mapping) else None
        if not isinstance(value, Mapping):
            continue
        for key in ("rating", "number", "choices"):
            found = value.get(key)
            if isinstance(found, list):
                found = found[0] if len(found) == 1 else None
            if found is not None:
                return found
    return None


CONTEXTS = ("retrieved_context_ids", "reference_context_ids")


@formats.register
@dataclass(frozen=True)
class RagasDataset(JsonLines):
    """Samples of ragas with the ids of contexts: retrieved ones are a run, reference ones qrels.

    Formula: {"user_input": "...", "retrieved_context_ids": [...], "reference_context_ids": [...]}

    A sample's topic is its id where it has one, else its user_input. Reference contexts have
    grade 1; what else was retrieved is unjudged.
    """

    def looks_like(self, source: Source) -> bool:
        return any(_has_keys(source, name) for name in CONTEXTS)

    def read_run(self, source: Source, reading: Reading) -> Rows:
        from leadline.io.tabular import run_columns

        return Rows.of_frame(run_columns(self._rows(source, CONTEXTS[0]), source.name, reading))

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        from leadline.io.normalised_qrels import normalise_qrels
        from leadline.io.tabular import qrels_columns

        table = self._rows(source, CONTEXTS[1]).with_columns(grade=pl.lit(1)).drop("rank")
        return normalise_qrels(qrels_columns(table, source.name, reading), source.name, reading)

    def table(self, source: Source) -> pl.DataFrame:
        return self._rows(source, CONTEXTS[0])

    def _rows(self, source: Source, key: str) -> pl.DataFrame:
        samples = [each for _, each in json_objects(source)] if has_lines(source) else None
        if samples is None:
            found = _whole(source)
            samples = found.get("samples") if isinstance(found, dict) else found
        rows = []
        for at, sample in enumerate(samples or [], 1):
            ids = sample.get(key) if isinstance(sample, Mapping) else None
            if not isinstance(ids, list):
                message = f"sample {at} has no list {key}, which says which contexts these are"
                raise InputError.of(source.name, "columns", message)
            topic = _value(sample, ("id", "query_id", "qid", "user_input"))
            once = dict.fromkeys(map(str, ids))
            rows += [{"topic": topic, "doc": doc, "rank": n} for n, doc in enumerate(once, 1)]
        return from_records(rows, source.name)


@formats.register
@dataclass(frozen=True)
class UmbrelaJudgments(JsonLines):
    """Judgments of a pool of candidates by umbrela: an object for each query.

    Formula: {"query": {"qid": "401", "text": "..."}, "candidates": [{"docid": "a", "judgment": 2}]}
    """

    def looks_like(self, source: Source) -> bool:
        return _has_keys(source, "query", "candidates")

    def table(self, source: Source) -> pl.DataFrame:
        rows = []
        for line, query in json_objects(source):
            asked = query.get("query")
            topic = _value(asked, ("qid", "id")) if isinstance(asked, Mapping) else asked
            for candidate in _listed(query, "candidates", source.name, f"line {line}"):
                doc = _value(candidate, ("docid", "doc_id", "id"))
                grade = _value(candidate, NAMES["grade"])
                rows.append({"topic": topic, "doc": doc, "grade": grade, "line": line})
        return from_records(rows, source.name)
