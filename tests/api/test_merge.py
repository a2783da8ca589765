"""Judgments of several sources: order, conflicts, scales, formats, what is refused."""

import json
from pathlib import Path

import pytest

import leadline
from leadline.api.merge import Conflicts
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError

OLD = {"1": {"a": 4, "b": 0}, "2": {"a": 1}}
NEW = {"1": {"b": 1, "c": 3}, "3": {"a": 0}}
NEWER = {"1": {"b": 3}}


@pytest.mark.parametrize(
    ("rule", "grade"),
    [("first", 0), ("last", 3), ("highest", 3), ("lowest", 0), ("median", 1)],
)
def test_each_rule_for_conflicts(rule: Conflicts, grade: int) -> None:
    made = leadline.merge([OLD, NEW, NEWER], conflicts=rule)
    rows = {(row["topic"], row["doc"]): row for row in made.frame.iter_rows(named=True)}
    assert list(rows) == [("1", "a"), ("1", "b"), ("2", "a"), ("1", "c"), ("3", "a")]
    assert rows["1", "b"]["grade"] == grade
    assert rows["1", "b"]["n_sources"] == 3
    assert rows["1", "b"]["conflict"]
    assert [row["conflict"] for row in rows.values()].count(True) == 1
    assert rows["1", "c"]["source"] == "source 2"


def test_conflicts_stop_unless_a_rule_is_chosen() -> None:
    with pytest.raises(InputError) as caught:
        leadline.merge({"old": OLD, "new": NEW})
    assert "1 pairs have different grades: topic 1, doc b: 0 in old, 1 in new" in str(caught.value)
    assert "`conflicts` first, last, highest, lowest or median" in str(caught.value)


def test_another_scale_is_said_and_can_be_mapped() -> None:
    made = leadline.merge({"old": OLD, "new": NEW}, conflicts="first")
    said = {each.code: each for each in made.notices.problems}
    assert said["scale"].message.startswith("its best grade is 3, that of old is 4")
    assert "`map_grades` 3=4" in said["scale"].message
    mapped = leadline.merge({"old": OLD, "new": NEW}, conflicts="first", map_grades={3: 4})
    assert "scale" not in {each.code for each in mapped.notices.problems}
    assert mapped.frame.filter(doc="c")["grade"].to_list() == [4]
    # The first source is read as it is.
    with pytest.raises(InputError):
        leadline.merge({"old": {"1": {"b": 3}}, "new": {"1": {"b": 3}}}, map_grades={3: 4})


def written(path: Path, kind: str) -> None:
    rows = [(topic, doc, grade) for topic, docs in OLD.items() for doc, grade in docs.items()]
    if kind == "beir":
        lines = "".join(f"{t}\t{d}\t{g}\n" for t, d, g in rows)
        path.write_text(f"query-id\tcorpus-id\tscore\n{lines}")
    elif kind == "csv":
        path.write_text("docid,rating,query\n" + "".join(f"{d},{g},{t}\n" for t, d, g in rows))
    elif kind == "lines":
        lines = [{"query_id": t, "doc_id": d, "relevance": g} for t, d, g in rows]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    elif kind == "nested":
        path.write_text(json.dumps(OLD))
    else:
        path.write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in rows))


@pytest.mark.parametrize("kind", ["trec", "beir", "csv", "lines", "nested"])
def test_the_first_sources_format_is_kept(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"old.{kind}"
    written(path, kind)
    made = leadline.merge([path, NEW], conflicts="last")
    again = tmp_path / f"merged.{kind}"
    made.write_qrels(again)
    head = {"csv": "query,docid,rating", "nested": "{"}.get(kind, path.read_text().split("\n")[0])
    assert again.read_text().split("\n")[0] == head
    read = leadline.merge([again, {"9": {"z": 0}}])
    grades = {(r["topic"], r["doc"]): r["grade"] for r in read.frame.iter_rows(named=True)}
    grades.pop(("9", "z"))
    assert grades == {("1", "a"): 4, ("1", "b"): 1, ("2", "a"): 1, ("1", "c"): 3, ("3", "a"): 0}


def test_unjudged_pairs_stay_so_until_somebody_judges_them(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("1 0 a -1\n1 0 b -1\n1 0 c 1\n")
    made = leadline.merge([path, {"1": {"a": 2}}])
    assert made.text == "1 0 a 2\n1 0 b -1\n1 0 c 1\n"


def test_scores_by_merged_judgments_are_those_by_all(tmp_path: Path) -> None:
    lines = leadline.merge([COLLECTION / "qrels.txt.gz", {"1": {"new-doc": 0}}]).text.splitlines()
    halves = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for at, half in enumerate(halves):
        half.write_text("\n".join(lines[at::2]) + "\n")
    merged = tmp_path / "merged.txt"
    leadline.merge(halves).write_qrels(merged)
    runs = COLLECTION / "runs" / "eastwick-mmr.gz"
    whole = leadline.evaluate(COLLECTION / "qrels.txt.gz", runs, "AP")
    assert leadline.evaluate(merged, runs, "AP")["value"].to_list() == whole["value"].to_list()


def test_what_cannot_be_merged_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two sources of judgments, found 1"):
        leadline.merge([OLD])
    sampled = tmp_path / "sampled.txt"
    sampled.write_text("1 0 a 1 0.5\n1 0 b 0 0.5\n")
    with pytest.raises(InputError, match="inclusion probabilities would no longer hold"):
        leadline.merge([OLD, sampled])
    ndeval = tmp_path / "ndeval.txt"
    ndeval.write_text("1 1 a 1\n1 2 a 0\n")
    with pytest.raises(InputError, match="has judgments per subtopic"):
        leadline.merge([OLD, ndeval])
    assert leadline.merge([OLD, ndeval], conflicts="first", second_field="judge").frame.height == 3
    with pytest.raises(InputError, match="is given twice"):
        leadline.merge([ndeval, ndeval])
