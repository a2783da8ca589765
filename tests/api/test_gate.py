"""gate in Python: verdicts, rows, slices, the schema of its json."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.gate import GateResult, gate
from leadline.data.judgments import Judgments
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.io.documents import DocumentLookup, missing_documents
from leadline.io.problems import InputError
from leadline.stats.gate import EXIT, GateRow

SCHEMA = json.loads(Path("docs/schemas/gate.schema.json").read_text())
PROMISED = [
    *("measure", "slice", "difference", "ci_lower", "ci_upper", "lower", "upper", "likely_worse"),
    *("verdict", "on_these_topics", "certainty", "caveats", "judge_next"),
]


def demo(baseline: str, new: str, **how: Any) -> GateResult:
    return gate(COLLECTION, baseline=baseline, new=new, **how)


def test_the_columns_that_were_promised_come_first() -> None:
    result = demo("anstey-bm25", "corran-lsa60")
    assert result.frame.columns[: len(PROMISED)] == PROMISED
    assert result.verdict == "not_worse"
    assert result.exit_code == 0


def test_worse_not_worse_and_undecided_follow_the_interval_of_both_doubts() -> None:
    seen = set()
    for new in ("holmsand-reversed", "corran-lsa60", "anstey-bm25-tuned", "greyness-fusion"):
        result = demo("anstey-bm25", new)
        (row,) = result.rows
        assert row.combined_lower is not None
        assert row.combined_upper is not None
        assert (row.verdict == "not_worse") == (row.combined_lower > -0.01)
        assert (row.verdict == "worse") == (row.combined_upper < -0.01)
        assert result.exit_code == EXIT[row.verdict]
        seen.add(row.verdict)
    assert {"worse", "not_worse"} <= seen


def test_the_numbers_are_those_of_other_verbs() -> None:
    result = demo("anstey-bm25", "corran-lsa60", measures=["P@5", "nDCG@10"])
    pairs = leadline.compare(
        COLLECTION, measures=["P@5", "nDCG@10"], baseline="anstey-bm25", details=True
    )
    for row in result.rows:
        other = pairs.filter(run_a="corran-lsa60", measure=row.measure).row(0, named=True)
        # compare tells them for whoever is ahead: here the new run.
        assert row.difference == pytest.approx(other["difference"])
        assert row.ci_lower == pytest.approx(other["ci_lower"])
        assert row.ci_upper == pytest.approx(other["ci_upper"])
        if row.measure == "P@5":
            assert row.lower == pytest.approx(other["lower"])
            assert row.upper == pytest.approx(other["upper"])
        else:
            assert row.lower >= other["lower"] - 1e-12  # type: ignore[operator]


def unpooled(depth: int = 3) -> Collection:
    """The demo, of which only what the other groups rank high is judged."""
    sea = leadline.read(COLLECTION, depth=100)
    others = np.array(sea.runs.group, object) != "Corran"
    inside = sea.runs.only(sea.pooled & others).best_rank <= depth
    marks = pl.Series(sea.pooled & others)
    groups = sea.groups.with_columns(pooled=marks)
    return replace(sea, judgments=sea.judgments.only(inside), groups=groups)


def test_a_newcomer_is_not_failed_because_nobody_judged_its_documents() -> None:
    sea = unpooled(1)
    by_model = gate(sea, baseline="anstey-bm25", new="corran-lsa60")
    anything = gate(sea, baseline="anstey-bm25", new="corran-lsa60", estimator="none")
    (likely,), (certain,) = by_model.rows, anything.rows
    assert likely.difference == certain.difference
    assert likely.expected is not None
    assert likely.expected > likely.difference  # type: ignore[operator]
    assert by_model.outcome.estimator == "Regression"
    assert anything.outcome.estimator is None
    assert certain.likely_worse is None
    assert certain.verdict == "undecided"
    assert certain.combined_lower < likely.combined_lower  # type: ignore[operator]
    assert certain.combined_upper > likely.combined_upper  # type: ignore[operator]


def test_undecided_names_documents_that_are_unjudged_and_in_one_of_the_two() -> None:
    sea = unpooled(1)
    result = gate(sea, baseline="anstey-bm25", new="corran-lsa60", estimator="none")
    documents = result.documents
    assert documents["worth"].is_sorted(descending=True)
    assert len(documents) > 10
    ranks = pl.min_horizontal(pl.col("rank_baseline"), pl.col("rank_new"))
    assert documents.select(ranks.max()).item() <= 10
    first = documents.row(0, named=True)
    told = result.rows[0].judge_next
    assert told is not None
    assert told.split("; ")[0] == f"{first['topic']} {first['doc']}"
    assert len(told.split("; ")) == 10


def test_judging_what_it_names_leaves_nothing_open() -> None:
    sea = unpooled(1)
    how: dict[str, Any] = {"baseline": "anstey-bm25", "new": "corran-lsa60", "measures": "P@10"}
    result = gate(sea, **how, estimator="none")
    places = sea.runs.pairs.names(np.arange(len(sea.runs.pairs)))
    number = {pair: at for at, pair in enumerate(zip(*places, strict=True))}
    judged = sea.judgments.judged.copy()
    for pair in result.documents.select("topic", "doc").iter_rows():
        judged[number[pair]] = True
    everything = Judgments(sea.runs.pairs, judged, sea.judgments.grade, max_grade=3)
    after = gate(replace(sea, judgments=everything), **how, estimator="none").rows[0]
    assert after.lower == pytest.approx(after.upper)
    needed = result.rows[0].judgments_needed
    assert needed is None or needed <= len(result.documents)


def test_labels_move_what_is_likely_and_nothing_that_is_certain() -> None:
    names = [name for name in leadline.read(COLLECTION).runs.names if "corran" not in name]
    others = {name: COLLECTION / "runs" / f"{name}.gz" for name in names}
    lines = gzip.decompress((COLLECTION / "qrels.txt.gz").read_bytes()).decode().splitlines()
    truth = pl.DataFrame(
        [(topic, doc, int(grade)) for topic, _, doc, grade in map(str.split, lines)],
        schema={"topic": pl.String, "doc": pl.String, "grade": pl.Int64},
        orient="row",
    )
    drawn = leadline.pool(None, others, strategy="Depth(d=3)").frame
    judged = truth.join(drawn, on=["topic", "doc"], how="semi")
    new = COLLECTION / "runs" / "corran-lsa60.gz"

    def told(labels: Any) -> GateRow:
        result = gate(judged, others, baseline="anstey-bm25", new=new, labels=labels)
        assert result.outcome.estimator == "Regression"
        assert ("never judgments" in "".join(result.notices.lines())) == (labels is not None)
        return result.rows[0]

    without, right = told(None), told({"right": truth})
    constant = told({"constant": truth.with_columns(grade=pl.lit(1, pl.Int64))})
    for name in ("difference", "ci_lower", "ci_upper", "lower", "upper", "topics"):
        assert getattr(right, name) == getattr(without, name), name
    assert constant == without, "a judge that says the same of all pairs says nothing"
    (full,) = gate(truth, others, baseline="anstey-bm25", new=new).rows
    assert full.difference is not None
    assert without.expected is not None
    assert right.expected is not None
    assert abs(right.expected - full.difference) < abs(without.expected - full.difference)
    assert (
        right.combined_upper - right.combined_lower
        < without.combined_upper - without.combined_lower
    )  # type: ignore[operator]


def test_labels_without_an_estimator_are_refused() -> None:
    with pytest.raises(ValueError, match="ignored with `estimator` none"):
        demo("anstey-bm25", "corran-lsa60", estimator="none", labels={"1": {"sea-001": 1}})


def test_slices_have_rows_and_the_worst_is_named(tmp_path: Path) -> None:
    path = tmp_path / "topics.tsv"
    topics = leadline.read(COLLECTION).runs.pairs.topics
    lines = [f"{topic}\t{'odd' if int(topic) % 2 else 'even'}" for topic in topics]
    path.write_text("\n".join(["topic\tslice", *lines, ""]))
    result = demo("anstey-bm25", "holmsand-reversed", slices=path)
    assert [row.slice for row in result.rows] == ["all", "odd", "even"]
    assert sum(row.topics for row in result.rows[1:]) == result.rows[0].topics
    whole, odd, even = (row.difference for row in result.rows)
    assert whole == pytest.approx(
        (odd * result.rows[1].topics + even * result.rows[2].topics) / result.rows[0].topics  # type: ignore[operator]
    )
    expected = min(result.rows[1:], key=lambda row: row.expected or 0.0).slice
    assert result.outcome.worst_slices == {"nDCG@10": expected}


def test_a_slice_that_is_worse_fails_only_if_asked(tmp_path: Path) -> None:
    good = {"a": 2.0, "b": 1.0}
    bad = {"b": 2.0, "a": 1.0}
    topics = [str(number) for number in range(1, 41)]
    qrels = {topic: {"a": 1, "b": 0} for topic in topics}
    old = dict.fromkeys(topics, good) | dict.fromkeys(topics[10:], bad)
    new = dict.fromkeys(topics, good) | dict.fromkeys(topics[:10], bad)
    path = tmp_path / "slices.tsv"
    lines = [f"{topic}\t{'first' if int(topic) <= 10 else 'rest'}" for topic in topics]
    path.write_text("\n".join(["topic\tslice", *lines, ""]))
    how: dict[str, Any] = {"baseline": old, "new": new, "measures": "P@1", "slices": path}
    result = gate(qrels, [], **how, estimator="none")
    assert [row.verdict for row in result.rows] == ["not_worse", "worse", "not_worse"]
    assert result.exit_code == 0
    assert result.outcome.worst_slices == {"P@1": "first"}
    assert gate(qrels, [], **how, estimator="none", strict_slices=True).exit_code == 1


def test_equivalence_asks_for_both_sides() -> None:
    same = demo("anstey-bm25", "corran-lsa60", equivalence=True)
    assert same.verdict == "different"
    assert same.exit_code == 1
    wide = demo("anstey-bm25", "corran-lsa60", equivalence=True, margin=0.5)
    assert wide.verdict == "equivalent"
    assert wide.exit_code == 0


def test_several_measures_one_verdict() -> None:
    result = demo("anstey-bm25", "holmsand-reversed", measures=["nDCG@10", "RR", "AP"])
    assert [row.measure for row in result.rows] == ["nDCG@10", "RR", "AP"]
    assert result.verdict == "worse"


@pytest.mark.parametrize("how", [{}, {"estimator": "none"}, {"equivalence": True, "margin": 0.2}])
def test_json_is_as_its_schema_says(how: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    result = gate(unpooled(1), baseline="anstey-bm25", new="corran-lsa60", **how)
    told = json.loads(result.encoded("json"))
    jsonschema.validate(told, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert told["verdict"] == result.verdict
    assert [row["measure"] for row in told["rows"]] == ["nDCG@10"]
    del told["verdict"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_judgments_that_are_no_pool_leave_everything_open() -> None:
    sea = unpooled(3)
    random = np.random.default_rng(0)
    few = replace(sea, judgments=sea.judgments.only(random.random(len(sea.runs.pairs)) < 0.05))
    result = gate(few, baseline="anstey-bm25", new="corran-lsa60")
    assert result.outcome.estimator is None
    assert "no model of unjudged documents" in "".join(result.notices.lines())


def test_the_order_of_runs_changes_nothing() -> None:
    sea = leadline.read(COLLECTION, depth=100)
    runs = {name: COLLECTION / "runs" / f"{name}.gz" for name in sea.runs.names}
    turned = dict(reversed(runs.items()))
    qrels = COLLECTION / "qrels.txt.gz"
    first, second = (
        gate(qrels, each, baseline="anstey-bm25", new="corran-lsa60").frame
        for each in (runs, turned)
    )
    assert first.equals(second)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"margin": -0.1}, "`margin` must be 0 or more"),
        ({"margin": float("nan")}, "`margin` must be 0 or more"),
        ({"confidence": 1.0}, "`confidence` must lie between 0.5 and 1"),
        ({"measures": "bpref"}, "bpref has no interval"),
        ({"measures": "P(judged_only=true)@5"}, "has no interval"),
        ({"estimator": "Zipf"}, "Zipf"),
        ({"correction": "tukey"}, "bonferroni"),
    ],
)
def test_what_makes_no_sense_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        demo("anstey-bm25", "corran-lsa60", **how)


@pytest.mark.parametrize("estimator", ["Regression", "none"])
def test_a_run_against_itself_differs_by_nothing_whatever_is_unjudged(estimator: Any) -> None:
    for equivalence, verdict in ((False, "not_worse"), (True, "equivalent")):
        how: dict[str, Any] = {"estimator": estimator, "equivalence": equivalence, "margin": 0.0}
        result = demo("greyness-fusion", "greyness-fusion", measures=["P@10", "AP"], **how)
        assert result.exit_code == 0
        for row in result.rows:
            assert row.verdict == row.on_these_topics == verdict
            assert row.certainty == "certain"
            assert (row.combined_lower, row.difference, row.combined_upper) == (0.0, 0.0, 0.0)


def test_on_sparse_judgments_the_lead_that_would_decide_is_named() -> None:
    read = leadline.read(COLLECTION)
    few = read.judgments.only(np.arange(len(read.runs.pairs)) % 8 == 0)
    sparse = replace(read, judgments=few)
    how: dict[str, Any] = {"measures": "P@5", "margin": 0.1, "estimator": "none"}
    result = gate(sparse, baseline="anstey-bm25", new="corran-lsa60", **how)
    (row,) = result.rows
    assert row.verdict == "undecided"
    (said,) = (each.message for each in result.notices.problems if each.code == "sparse")
    # So much higher, the lower end would be the margin.
    assert row.difference is not None
    assert row.combined_lower is not None
    lead = row.difference + (-0.1 - row.combined_lower)
    assert f"would have to lead by {lead:.2f} as judged" in said
    assert f"Judge the {len(result.documents):,} documents of --judge-next" in said


def test_a_classic_verdict_is_that_of_the_confidence_interval() -> None:
    sea = unpooled(1)
    how: dict[str, Any] = {"baseline": "anstey-bm25", "new": "corran-lsa60"}
    classic = gate(sea, **how, unjudged_as="lower", confidence=0.9)
    (row,) = classic.rows
    # A one-sided bound with 90% is an end of the two-sided interval with 80%.
    (narrow,) = gate(sea, **how, estimator="none", confidence=0.8).rows
    assert row.combined_lower == pytest.approx(narrow.ci_lower)
    assert row.combined_upper == pytest.approx(narrow.ci_upper)
    assert (row.expected, row.pred_lower, row.likely_worse) == (None, None, None)
    (open_,) = gate(sea, **how, estimator="none").rows
    assert (row.lower, row.upper) == (open_.lower, open_.upper)
    assert classic.outcome.estimator is None
    assert row.judgments_needed is None
    assert "no model" not in row.caveats


def test_a_corpus_is_read_until_every_document_is_found() -> None:
    run = {str(topic): {"elsewhere": 1.0} for topic in range(1, 26)}
    with pytest.raises(InputError, match=r"returns 1 documents that .* does not hold: elsewhere"):
        gate(COLLECTION, baseline="anstey-bm25", new={"odd": run})
    read: list[int] = []

    class Corpus(DocumentLookup):
        def tables(self) -> Iterator[pl.DataFrame]:
            for number, name in enumerate("abc"):
                read.append(number)
                yield pl.DataFrame({"id": [name], "title": [None], "text": [name]})

    assert missing_documents(pl.Series(["a", "b"]), Corpus({})).is_empty()
    assert read == [0, 1]
    assert missing_documents(pl.Series(["d", "a", "d"]), Corpus({})).to_list() == ["d"]
