"""audit: what it gives from files, folders and collections, and what it says beside."""

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.audit import JudgeAudit
from leadline.io.datasets import COLLECTION

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
    return leadline.audit({"judge": labels()}, COLLECTION, reference=QRELS, measure="P@3")


def value(made: JudgeAudit, section: str, item: str) -> float:
    return float(made.frame.filter(section=section, item=item)["value"][0])


def test_columns_and_sections(whole: JudgeAudit) -> None:
    assert whole.frame.columns == ["section", "item", "value", "ci_lower", "ci_upper", "n"]
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
    again = leadline.audit({"judge": labels()}, read, reference=QRELS, measure="P@3")
    ours = whole.frame.filter(pl.col("section").is_in(["bias by run", "favour by group"]))
    theirs = again.frame.filter(pl.col("section").is_in(["bias by run", "favour by group"]))
    assert ours.drop("ci_lower", "ci_upper").equals(theirs.drop("ci_lower", "ci_upper"))


def test_a_pool_makes_it_a_sample() -> None:
    pool = leadline.pool(COLLECTION, strategy="UniformSample(d=5, rate=0.4)", all_runs=True, seed=3)
    made = leadline.audit(
        {"judge": labels()}, COLLECTION, reference=QRELS, pool=pool, measure="P@3"
    )
    assert made.choice == "drawn"
    assert value(made, "sample", "pairs judged by both") <= len(pool)
    run = made.frame.filter(section="bias by run")
    assert run["ci_lower"].null_count() == 0
    assert any("sampled at random" in line for line in made.notices.lines())
    assert value(made, "more", "more human judgments that would halve it") > 0


def test_without_chances_nothing_is_concluded() -> None:
    some = {topic: docs for topic, docs in labels(1).items() if int(topic) < 10}
    people = {topic: dict(list(docs.items())[::4]) for topic, docs in labels(2).items()}
    made = leadline.audit({"judge": some}, COLLECTION, reference=people, measure="P@3")
    assert made.choice == "chosen"
    assert made.frame["ci_lower"].null_count() == len(made.frame)
    assert not made.favoured
    assert any("without intervals and tests of favour" in line for line in made.notices.lines())


def test_without_runs_two_files_are_compared() -> None:
    made = leadline.audit({"judge": labels()}, reference=QRELS)
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
    labels = tmp_path / "labels.csv"
    lines = [
        f"{t},{doc},{(grade + (t * at) % 2) % 3},2026-01-0{t}\n"
        for at, (t, doc, grade) in enumerate(grades)
    ]
    labels.write_text("topic,doc,grade,date\n" + "".join(lines))
    made = leadline.audit(labels, tmp_path, reference=people)
    assert {"bias by family", "favour by family", "drift"} <= set(made.frame["section"])
    assert made.judge == "labels"


def test_it_looks_like_people_where_it_says_the_same() -> None:
    made = leadline.audit(QRELS, COLLECTION, reference=QRELS, measure="P@3")
    assert value(made, "agreement", "kappa") == 1
    assert value(made, "order", "tau") == pytest.approx(1)
    assert not made.favoured
    bias = made.frame.filter(section="bias by run")["value"]
    np.testing.assert_allclose(bias, 0, atol=1e-12)


def test_bad_input_is_told() -> None:
    with pytest.raises(ValueError, match="no topic in common with the runs"):
        leadline.audit({"judge": {"nowhere": {"x": 1}}}, COLLECTION, reference=QRELS)
    with pytest.raises(ValueError, match="named alike"):
        leadline.audit({"judge": {"1": {"x": 1}}}, COLLECTION, reference=QRELS)
    with pytest.raises(ValueError, match="one judge"):
        leadline.audit({"a": labels(), "b": labels()}, COLLECTION, reference=QRELS)
    with pytest.raises(ValueError, match="confidence"):
        leadline.audit(QRELS, reference=QRELS, confidence=1.0)
    with pytest.raises(ValueError, match="rel must"):
        leadline.audit(QRELS, reference=QRELS, rel=0)
    with pytest.raises(ValueError, match="labels_max"):
        leadline.audit({"judge": labels()}, reference=QRELS, labels_max=1)
    with pytest.raises(ValueError, match="no sum of weights"):
        leadline.audit(QRELS, COLLECTION, reference=QRELS, measure="RR")


def small_world(folder: Path, seed: int) -> dict[str, Any]:
    """Write a random collection with groups; return what `audit` is given, by name."""
    random = np.random.default_rng([30, seed])
    docs = [f"d{at}" for at in range(random.integers(3, 14))]
    topics = [str(at) for at in range(random.integers(1, 6))]
    top = int(random.integers(1, 4))
    (folder / "runs").mkdir(parents=True)
    groups = ["run\tgroup"]
    for at in range(int(random.integers(1, 7))):
        # Some runs have the name of their group.
        name = f"g{at // 2}" if at % 2 and random.random() < 0.5 else f"r{at}"
        groups.append(f"{name}\tg{at // 2}")
        lines = [
            f"{topic} Q0 {doc} 0 {-rank} {name}"
            for topic in topics
            for rank, doc in enumerate(random.permutation(docs)[: random.integers(1, 9)])
        ]
        (folder / "runs" / name).write_text("\n".join(lines) + "\n")
    (folder / "groups.tsv").write_text("\n".join(groups) + "\n")
    share = random.choice([1.0, 0.97, 0.5])
    people: dict[str, dict[str, int]] = {topic: {} for topic in topics}
    label: dict[str, dict[str, int]] = {topic: {} for topic in topics}
    kind = random.choice(["same", "none", "noisy", "noisy"])
    for topic in topics:
        for doc in docs:
            grade = int(random.integers(0, top + 1))
            moved = {"same": grade, "none": 0}.get(kind, grade + int(random.integers(-1, 2)))
            label[topic][doc] = min(max(moved, 0), top)
            if random.random() < share:
                people[topic][doc] = grade
    pool = None
    if share < 0.9 and random.random() < 0.5:
        rows = [(topic, doc, 1, share) for topic in topics for doc in people[topic]]
        pool = pl.DataFrame(rows, ["topic", "doc", "stratum", "inclusion"], orient="row")
    confidence = float(random.choice([0.9, 0.95]))
    return {"reference": people, "pool": pool, "labels": label, "confidence": confidence}


def sentences(page: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())


def check_sentences(given: dict[str, Any], folder: Path) -> None:
    """Fail where a sentence of the page is not what plain loops over the input say."""
    people, label = given["reference"], given.pop("labels")
    made = leadline.audit({"judge": label}, folder, measure="P@3", **given)
    said = sentences(made.page)
    listed = {
        path.name: {
            topic: [line.split()[2] for line in path.read_text().splitlines()
                    if line.split()[0] == topic][:3]
            for topic in label
        }
        for path in (folder / "runs").iterdir()
    }  # fmt: skip
    judged = [(topic, doc) for topic in people for doc in people[topic]]
    both = [label[topic][doc] == people[topic][doc] for topic, doc in judged]
    n_topics = len({topic for topic, _ in judged})
    assert f"{len(judged):,} pairs of {n_topics} topics have a label and a human" in said
    if f"Same grade: {np.mean(both):.3f}" not in said:
        assert "Same grade" not in said, "the scales differ"
    looked = [(t, doc) for lists in listed.values() for t in people if people[t]
              for doc in lists[t]]  # fmt: skip
    share = np.mean([pair in set(judged) for pair in looked])
    if given["pool"] is not None:
        assert made.choice == "drawn"
    assert ("At least 95% of the documents" in said) == (made.choice == "complete")
    assert made.choice != "complete" or share > 0.9
    assert f"about {1 - given['confidence']:.0%} of audits" in said or len(listed) < 1

    # Whom it favours: exactly those whose interval leaves 0 out.
    rows = made.frame.filter(pl.col("section").str.starts_with("favour by"))
    tested = rows.drop_nulls("ci_lower")
    for word, there in (
        ("favour", tested["ci_lower"] > 0),
        ("mark down", tested["ci_upper"] < 0),
    ):
        named = tested.filter(there)
        assert len(re.findall(f"The labels {word} (?:group|run) ", said)) == len(named)
        for section, item in named.select("section", "item").iter_rows():
            assert f"The labels {word} {section.removeprefix('favour by ')} {item}" in said
    accused = len(made.favoured) + len(made.marked_down)
    assert made.page.count('class="off"') == accused
    quiet = made.choice != "chosen" and not accused
    assert ("is significantly favoured or marked down;" in said) == (quiet and len(tested) > 0)
    assert ("could be tested for favour" in said) == (quiet and not len(tested))

    # Its best run, by plain scores where these are no estimates.
    def plain(grades: dict[str, dict[str, int]], run: str) -> float:
        hits = [grades[t].get(doc, 0) > 0 and (made.choice != "chosen" or doc in people[t])
                for t in people if people[t] for doc in listed[run][t]]  # fmt: skip
        return sum(hits) / 3 / n_topics

    by_judge = {run: plain(label, run) for run in listed}
    scored = made.frame.filter(section="score by people")
    by_people = dict(scored.select("item", "value").iter_rows())
    if made.choice != "drawn":
        assert by_people == pytest.approx({run: plain(people, run) for run in listed})
    best = [run for run in by_judge if by_judge[run] > max(by_judge.values()) - 1e-9]
    place = 1 + min(sum(by_people[b] > by_people[a] + 1e-9 for b in listed) for a in best)
    if len(listed) == 1:
        assert "between the rankings of runs by labels" not in said
    elif len(best) == len(listed):
        assert "the labels give all runs the same score" in said
    else:
        rank = re.search(r"has rank (\d+) in the human ranking", said)
        assert (int(rank.group(1)) if rank else 1) == place
        assert ("is also the top human one" in said) == (place == 1)
    assert "two of the best 20" not in said
    assert not re.search(r"\b0 more human judgments", said)


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 310), marks=pytest.mark.slow)])
def test_no_sentence_of_the_page_contradicts_brute_force(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        folder = tmp_path / str(seed)
        check_sentences(small_world(folder, seed), folder)
