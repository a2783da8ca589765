"""audit: what it gives from files, folders and collections, and what it says beside."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.demo import COLLECTION
from leadline.verbs.audit import JudgeAudit

QRELS = COLLECTION / "qrels.txt.gz"


def labels(seed: int = 0) -> dict[str, dict[str, int]]:
    """A judge that is a grade off now and then."""
    people = leadline.read(COLLECTION)
    random = np.random.default_rng(seed)
    judged = np.flatnonzero(people.judgments.judged)
    moved = np.clip(people.judgments.grade[judged] + random.integers(-1, 2, len(judged)), 0, 3)
    made: dict[str, dict[str, int]] = {}
    for topic, doc, grade in zip(*people.runs.pairs.names(judged), moved, strict=True):
        made.setdefault(topic, {})[doc] = int(grade)
    return made


@pytest.fixture(scope="module")
def whole() -> JudgeAudit:
    return leadline.audit({"judge": labels()}, COLLECTION, trusted=QRELS, measure="P@3")


def value(made: JudgeAudit, section: str, item: str) -> float:
    return float(made.frame.filter(section=section, item=item)["value"][0])


def test_columns_and_sections(whole: JudgeAudit) -> None:
    assert whole.frame.columns == ["section", "item", "value", "lower", "upper", "n"]
    found = set(whole.frame["section"])
    assert {"agreement", "calibration", "bias by run", "favour by group", "verdicts"} <= found
    assert {"bias by length", "bias by query terms"} <= found, "the folder has texts"
    assert value(whole, "sample", "topics with pairs judged by both") == 20


def test_agreement_is_what_can_be_counted(whole: JudgeAudit) -> None:
    people = leadline.read(COLLECTION)
    seen = people.judgments
    given = labels()
    judged = np.flatnonzero(seen.judged)
    same = [
        given[topic][doc] == grade
        for topic, doc, grade in zip(
            *people.runs.pairs.names(judged), seen.grade[judged], strict=True
        )
    ]
    assert value(whole, "agreement", "same grade") == pytest.approx(np.mean(same))


def test_a_collection_that_was_read_gives_the_same(whole: JudgeAudit) -> None:
    read = leadline.read(COLLECTION)
    again = leadline.audit({"judge": labels()}, read, trusted=QRELS, measure="P@3")
    ours = whole.frame.filter(pl.col("section").is_in(["bias by run", "favour by group"]))
    theirs = again.frame.filter(pl.col("section").is_in(["bias by run", "favour by group"]))
    assert ours.drop("lower", "upper").equals(theirs.drop("lower", "upper"))


def test_a_pool_makes_it_a_sample() -> None:
    pool = leadline.pool(COLLECTION, strategy="Sampled(d=5, rate=0.4)", seed=3)
    made = leadline.audit({"judge": labels()}, COLLECTION, trusted=QRELS, pool=pool, measure="P@3")
    assert made.choice == "drawn"
    assert value(made, "sample", "pairs judged by both") <= len(pool)
    run = made.frame.filter(section="bias by run")
    assert run["lower"].null_count() == 0
    assert any("drawn by chance" in line for line in made.notices.lines())
    assert value(made, "more", "more human judgments that would halve it") > 0


def test_without_chances_nothing_is_concluded() -> None:
    some = {topic: docs for topic, docs in labels(1).items() if int(topic) < 10}
    people = {topic: dict(list(docs.items())[::4]) for topic, docs in labels(2).items()}
    made = leadline.audit({"judge": some}, COLLECTION, trusted=people, measure="P@3")
    assert made.choice == "chosen"
    assert made.frame["lower"].null_count() == len(made.frame)
    assert not made.favoured
    assert any("nobody can be said to be favoured" in line for line in made.notices.lines())


def test_without_runs_two_files_are_compared() -> None:
    made = leadline.audit({"judge": labels()}, trusted=QRELS)
    assert set(made.frame["section"]) == {"sample", "agreement", "confusion", "calibration"}
    assert made.choice == "complete", "people judged all that is labelled"
    with pytest.raises(TypeError, match="without runs"):
        made.chart()


def test_a_family_is_read_from_groups_and_times_from_labels(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    docs = [f"d{at}" for at in range(20)]
    for at, run in enumerate("abcd"):
        lines = [
            f"{topic} Q0 {doc} 0 {(place * (at + 3) * topic) % 23} {run}\n"
            for topic in range(1, 7)
            for place, doc in enumerate(docs)
        ]
        (tmp_path / "runs" / run).write_text("".join(lines))
    rows = [f"{run}\tg{run}\t{'m' if run in 'ab' else 'n'}\n" for run in "abcd"]
    (tmp_path / "groups.tsv").write_text("run\tgroup\tfamily\n" + "".join(rows))
    grades = [(t, doc, (t * at) % 3) for t in range(1, 7) for at, doc in enumerate(docs)]
    people = tmp_path / "people.txt"
    people.write_text("".join(f"{t} 0 {doc} {grade}\n" for t, doc, grade in grades))
    cheap = tmp_path / "labels.csv"
    lines = [
        f"{t},{doc},{(grade + (t * at) % 2) % 3},2026-01-0{t}\n"
        for at, (t, doc, grade) in enumerate(grades)
    ]
    cheap.write_text("topic,doc,grade,date\n" + "".join(lines))
    made = leadline.audit(cheap, tmp_path, trusted=people)
    assert {"bias by family", "favour by family", "drift"} <= set(made.frame["section"])
    assert made.judge == "labels"


def test_it_looks_like_people_where_it_says_the_same() -> None:
    made = leadline.audit(QRELS, COLLECTION, trusted=QRELS, measure="P@3")
    assert value(made, "agreement", "kappa") == 1
    assert value(made, "order", "tau") == pytest.approx(1)
    assert not made.favoured
    bias = made.frame.filter(section="bias by run")["value"]
    np.testing.assert_allclose(bias, 0, atol=1e-12)


def test_bad_input_is_told() -> None:
    with pytest.raises(ValueError, match="no topic in common with the runs"):
        leadline.audit({"judge": {"nowhere": {"x": 1}}}, COLLECTION, trusted=QRELS)
    with pytest.raises(ValueError, match="named alike"):
        leadline.audit({"judge": {"1": {"x": 1}}}, COLLECTION, trusted=QRELS)
    with pytest.raises(ValueError, match="one judge"):
        leadline.audit({"a": labels(), "b": labels()}, COLLECTION, trusted=QRELS)
    with pytest.raises(ValueError, match="confidence"):
        leadline.audit(QRELS, trusted=QRELS, confidence=1.0)
    with pytest.raises(ValueError, match="rel must"):
        leadline.audit(QRELS, trusted=QRELS, rel=0)
    with pytest.raises(ValueError, match="cheap_max"):
        leadline.audit({"judge": labels()}, trusted=QRELS, cheap_max=1)
    with pytest.raises(ValueError, match="no sum of weights"):
        leadline.audit(QRELS, COLLECTION, trusted=QRELS, measure="RR")
