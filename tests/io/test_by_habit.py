"""Columns, exports, chunks and second fields as people have them."""

import json
from pathlib import Path

import pytest

import leadline
from leadline.io.by_content import qrels_from, run_from
from leadline.io.formats import Reading
from leadline.io.problems import InputError

GRADES = {("1", "a"): 2, ("1", "b"): 0, ("2", "a"): 1}


def grades_of(path: Path, reading: Reading | None = None) -> dict[tuple[str, str], int]:
    frame = qrels_from(path, reading or Reading()).frame
    return {
        (topic, doc): grade for topic, doc, grade in frame.select("topic", "doc", "grade").rows()
    }


@pytest.mark.parametrize("grade", ["rating", "judgment", "Judgement", "grade"])
@pytest.mark.parametrize("doc", ["docid", "id", "document_id"])
def test_columns_by_habit_of_judgments(tmp_path: Path, grade: str, doc: str) -> None:
    path = tmp_path / "ratings.csv"
    lines = [f"query,{doc},{grade}", *(f"{t},{d},{g}" for (t, d), g in GRADES.items())]
    path.write_text("\n".join(lines) + "\n")
    assert grades_of(path) == GRADES


@pytest.mark.parametrize("score", ["similarity", "relevance_score", "score"])
def test_columns_by_habit_of_runs(tmp_path: Path, score: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"query": "1", "id": "a", score: 0.5}) + "\n")
    rows = run_from(path, "run", Reading())
    assert (rows.doc.to_list(), rows.run_score.tolist()) == (["a"], [0.5])


def as_opensearch() -> object:
    return {
        "name": "by hand",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {
                "query": "1",
                "ratings": [{"docId": "a", "rating": "2.0"}, {"docId": "b", "rating": "0"}],
            },
            {"query": "2", "ratings": [{"docId": "a", "rating": "1.000"}]},
        ],
    }


def as_rank_eval() -> object:
    return {
        "requests": [
            {
                "id": topic,
                "request": {"query": {"match_all": {}}},
                "ratings": [
                    {"_index": "i", "_id": d, "rating": g}
                    for (t, d), g in GRADES.items()
                    if t == topic
                ],
            }
            for topic in ("1", "2")
        ]
    }


def label_studio_task(topic: str, doc: str, *choices: str) -> object:
    results = [{"value": {"choices": [choice]}, "type": "choices"} for choice in choices]
    return {
        "id": 7,
        "data": {"query": topic, "doc_id": doc, "text": "..."},
        "annotations": [
            {"completed_by": who, "was_cancelled": False, "result": [result]}
            for who, result in enumerate(results, 1)
        ],
    }


def as_label_studio() -> object:
    return [label_studio_task(t, d, str(g)) for (t, d), g in GRADES.items()]


@pytest.mark.parametrize("made", [as_opensearch, as_rank_eval, as_label_studio])
def test_judgment_files_of_tools(tmp_path: Path, made: object) -> None:
    path = tmp_path / "export.json"
    for indent in (None, 1):
        path.write_text(json.dumps(made(), indent=indent))  # type: ignore[operator]
        assert grades_of(path) == GRADES


def test_umbrela_writes_a_line_for_each_query(tmp_path: Path) -> None:
    path = tmp_path / "judged.jsonl"
    lines = [
        {
            "query": {"qid": topic, "text": "..."},
            "candidates": [
                {"docid": d, "doc": {"segment": "..."}, "judgment": g}
                for (t, d), g in GRADES.items()
                if t == topic
            ],
        }
        for topic in ("1", "2")
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert grades_of(path) == GRADES


def test_a_ragas_dataset_is_a_run_and_judgments(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    samples = [
        {
            "user_input": "why is the sea salt?",
            "retrieved_contexts": ["...", "..."],
            "retrieved_context_ids": ["a", "b"],
            "reference_context_ids": ["b"],
        },
        {"user_input": "q2", "retrieved_context_ids": [3], "reference_context_ids": [3, 4]},
    ]
    for text in ("".join(json.dumps(s) + "\n" for s in samples), json.dumps(samples)):
        path.write_text(text)
        made = leadline.evaluate(path, path, "RR,Recall@5", per_topic=True)
        values = {(row.topic, row.measure): row.value for row in made}
        assert values["why is the sea salt?", "RR"] == 0.5
        assert values["q2", "Recall@5"] == 0.5


def test_faults_of_exports_say_where(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"judgmentRatings": [{"query": "1"}]}))
    with pytest.raises(InputError, match="query 1 has no list of objects named ratings"):
        grades_of(path)
    path.write_text(json.dumps([{"data": {"query": "1", "doc": "a"}, "annotations": []}]))
    with pytest.raises(InputError, match="has no annotation with a grade"):
        grades_of(path)
    path.write_text(json.dumps([label_studio_task("1", "a", "relevant")]))
    with pytest.raises(InputError, match="grade must be a whole number, found 'relevant'"):
        grades_of(path)


JUDGES = "1 ann a 2\n1 bob a 0\n1 cid a 2\n1 ann b 1\n1 bob b 0\n2 ann a 1\n"


def test_judges_in_the_second_field_count_by_their_median(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(JUDGES)
    reading = Reading(second_field="judge")
    # Of ann's 1 and bob's 0 the lower counts.
    assert grades_of(path, reading) == {("1", "a"): 2, ("1", "b"): 0, ("2", "a"): 1}
    (said,) = [each.message for each in reading.notices.problems]
    assert said.startswith("3 judges: 2 documents have several grades, 2 different ones")
    with pytest.raises(InputError, match="grade 0 here and 2 on line 1"):
        grades_of(path, Reading(second_field="ignore"))
    # ndeval's: the best subtopic counts.
    assert grades_of(path)["1", "b"] == 1
    assert grades_of(path, Reading(second_field="subtopic"))["1", "b"] == 1


def test_annotators_of_label_studio_are_judges(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([label_studio_task("1", "a", "2", "0", "1")]))
    assert grades_of(path, Reading(second_field="judge")) == {("1", "a"): 1}


def test_every_verb_reads_judges(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(JUDGES)
    runs = {"x": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"a": 2.0}}}
    scores = leadline.evaluate(path, runs, "P@1", second_field="judge")
    assert scores["value"].to_list() == [0.5, 0.5]
    compared = leadline.compare(path, runs, "P@1", second_field="judge")
    assert compared["difference"].to_list() == [0.0]


CHUNKS = "1 Q0 d1#0 1 9 r\n1 Q0 d2#0 2 8 r\n1 Q0 d2#1 3 7 r\n1 Q0 d1#3 4 1 r\n1 Q0 d3 5 0.5 r\n"


@pytest.mark.parametrize(
    ("how", "scores"),
    [
        ("max", {"d1": 9, "d2": 8, "d3": 0.5}),
        ("first", {"d1": 9, "d2": 8, "d3": 0.5}),
        ("sum", {"d1": 10, "d2": 15, "d3": 0.5}),
    ],
)
def test_chunks_become_documents(tmp_path: Path, how: str, scores: dict[str, float]) -> None:
    path, mapping = tmp_path / "r.run", tmp_path / "chunks.tsv"
    path.write_text(CHUNKS)
    mapping.write_text("d1#0 d1\nd1#3 d1\nd2#0\td2\nd2#1 d2\n")
    best_first = sorted(scores, key=scores.__getitem__, reverse=True)
    qrels = {"1": dict.fromkeys(best_first[:1], 1)}
    for chunks in (None, "#", mapping, {"d1#0": "d1", "d1#3": "d1", "d2#0": "d2", "d2#1": "d2"}):
        collection = leadline.read(qrels, path, collapse=how, chunks=chunks)
        listed = [name for _, name in map(collection.runs.pairs.name, collection.runs.pair)]
        assert listed == best_first
        made = leadline.evaluate(qrels, path, "RR", collapse=how, chunks=chunks)
        assert made["value"].to_list() == [1.0]


def test_first_takes_the_chunk_that_is_listed_first(tmp_path: Path) -> None:
    path = tmp_path / "r.run"
    path.write_text("1 Q0 d1#0 1 2 r\n1 Q0 d2#0 2 5 r\n1 Q0 d1#1 3 9 r\n")
    qrels = {"1": {"d1": 1}}
    first = leadline.evaluate(qrels, path, "RR", collapse="first")
    best = leadline.evaluate(qrels, path, "RR", collapse="max")
    assert (first["value"][0], best["value"][0]) == (0.5, 1.0)


def test_what_cannot_be_meant_of_chunks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give `collapse` too"):
        leadline.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, chunks="#")
    mapping = tmp_path / "chunks.tsv"
    mapping.write_text("c1 d1\nc1 d2\n")
    with pytest.raises(InputError, match=r"chunks.tsv:2: chunk c1 has another document"):
        leadline.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, collapse="max", chunks=mapping)


@pytest.mark.parametrize(
    ("no_answer", "values"),
    [("skip", (1.0, 1.0)), ("zero", (0.5, 0.5)), ("one", (1.0, 1.0)), (None, (0.5, 1.0))],
)
def test_topics_without_relevant_documents(
    no_answer: str | None, values: tuple[float, float]
) -> None:
    """Topic 2 has none: P is 0 there, nDCG undefined."""
    qrels = {"1": {"a": 1}, "2": {"b": 0}}
    run = {"1": {"a": 1.0}, "2": {"b": 1.0}}
    for given in ((qrels, run), (leadline.read(qrels, run), None)):
        made = leadline.evaluate(*given, ["P@1", "nDCG@1"], no_answer=no_answer)
        assert tuple(made["value"].to_list()) == values
        assert (made["lower"] <= made["value"]).all()
        assert (made["value"] <= made["upper"]).all()


def test_lint_finds_judgments_of_documents_that_the_corpus_lacks(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tzz\t1\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "title": "", "text": "sea"}\n')
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "r.txt").write_text("1 Q0 a 1 1.0 r\n")
    found = leadline.lint(tmp_path)
    (row,) = found.frame.filter(code="no-document").iter_rows(named=True)
    assert row["level"] == "warning"
    assert "judges 1 documents" in row["message"]
    assert row["message"].endswith(": zz")
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert leadline.lint(tmp_path).frame.filter(code="no-document").is_empty()
