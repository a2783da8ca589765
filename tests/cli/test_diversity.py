"""Measures of diversity on the command line, with odd and with bad input."""

import gzip
import json
from pathlib import Path

import pytest

import leadline
from leadline.io.datasets import COLLECTION
from tests.cli.program import call

QRELS = """\
1 1 a 1
1 1 b 0
1 2 a 0
1 2 b 2
1 3 a 0
1 3 b 0
2 1 c -2
2 1 d 1
2 2 d 0
3 1 e 0
3 2 e 0
"""
RUN = "".join(
    f"{topic} Q0 {doc} 0 {-rank} x\n"
    for topic, docs in (("1", "abz"), ("2", "cdz"), ("3", "ez"))
    for rank, doc in enumerate(docs)
)
DOCS = {
    "a": "tide tables and the moon",
    "b": "fog bells in the harbour",
    "c": "cheap watches",
    "d": "sails of hemp",
    "e": "rope",
    "z": "",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "my.run").write_text(RUN)
    lines = [json.dumps({"id": name, "text": text}) for name, text in DOCS.items()]
    (tmp_path / "docs").write_text("\n".join(lines))
    return tmp_path


def scores(folder: Path, *more: object) -> dict[str, dict[str, str]]:
    done = call("evaluate", folder / "qrels", folder / "my.run", *more, "--per-topic")
    assert done.code == 0, done.err
    return {topic: row for (_, topic, _), row in done.table().items()}


def test_a_subtopic_without_relevant_documents_does_not_count_yet(folder: Path) -> None:
    row = scores(folder, "-m", "StRec@2")["1"]
    # Two of two; of three, once the third subtopic has a document that nobody returns.
    assert row["value"] == "1.0"
    assert float(row["lower"]) == pytest.approx(2 / 3)


def test_a_topic_whose_subtopics_have_no_document_is_undefined_and_named(folder: Path) -> None:
    done = call("evaluate", folder / "qrels", folder / "my.run", "-m", "ERR_IA@3", "--per-topic")
    assert done.table()["my", "3", "ERR_IA@3"]["value"] == ""
    assert "ERR_IA@3: is undefined on 1 topics, which no mean includes: 3" in done.err


def test_spam_is_judged_non_relevant_and_grades_may_be_graded(folder: Path) -> None:
    found = scores(folder, "-m", "alpha_nDCG@3")
    assert found["2"]["judged"] == str(2 / 3)
    assert float(found["2"]["value"]) == pytest.approx(0.6309, abs=1e-4)
    assert found["1"]["value"] == "1.0"
    assert scores(folder, "-m", "StRec(rel=2)@1")["1"]["value"] == "0.0"


def test_a_topic_without_subtopics_is_no_diversity_topic(folder: Path) -> None:
    (folder / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    done = call("evaluate", folder / "qrels", folder / "my.run", "-m", "NRBP")
    assert done.code == 2
    assert "has no subtopics: the second field is 0 on every line" in done.err


def test_subtopics_that_no_document_shares_are_subtopics_if_that_is_asked(folder: Path) -> None:
    (folder / "qrels").write_text("1 1 a 1\n1 2 b 1\n")
    assert scores(folder, "-m", "StRec@1")["1"]["value"] == "0.5"


def test_an_empty_document_adds_nothing_and_texts_are_read(folder: Path) -> None:
    found = scores(folder, "-m", "DELTArb@3", "-m", "ABSnb@3", "--docs", folder / "docs")
    assert 0 < float(found["1"]["value"]) < 3
    assert found["3"]["value"] == ""


def test_a_document_in_no_file_is_counted_and_said_or_stops(folder: Path) -> None:
    (folder / "docs").write_text("\n".join((folder / "docs").read_text().splitlines()[:-2]))
    given = ("evaluate", folder / "qrels", folder / "my.run", "-m", "DELTArb@20")
    done = call(*given, "--docs", folder / "docs")
    assert done.code == 0
    assert "has no text for 2 of 6 documents returned: z, e. They count as empty" in done.err
    done = call(*given, "--docs", folder / "docs", "--missing-docs", "stop")
    assert done.code == 2
    assert "has no text for 2 of 6 documents returned" in done.err


def test_documents_of_which_none_is_known_stop(folder: Path) -> None:
    (folder / "docs").write_text('{"id": "other", "text": "words"}\n')
    given = ("evaluate", folder / "qrels", folder / "my.run", "-m", "ABSrb@20")
    done = call(*given, "--docs", folder / "docs")
    assert done.code == 2
    assert "has no text for 6 of 6 documents returned" in done.err


def test_reading_without_documents_says_what_to_do(folder: Path) -> None:
    done = call("evaluate", folder / "qrels", folder / "my.run", "-m", "ABSrb@20")
    assert done.code == 2
    assert "there are no documents: name them with --docs" in done.err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("alpha_nDCG", "alpha_nDCG needs @ and a depth"),
        ("alpha_nDCG(alpha=2)@5", "alpha must be between 0 and 1"),
        ("NRBP(beta=1)", "beta must be at least 0 and below 1"),
        ("ABSnb(mu=0)@5", "mu must be above 0"),
        ("DELTArb(theta=1.5)@5", "theta must be at least 0 and below 1"),
        ("DELTArb(tokens=letters)@5", "tokens must be one of words, ascii"),
        ("DELTArb(stem=klingon)@5", "stem must be none or one of"),
    ],
)
def test_bad_parameters_are_named(folder: Path, name: str, told: str) -> None:
    given = ("evaluate", folder / "qrels", folder / "my.run", "-m", name)
    done = call(*given, "--docs", folder / "docs")
    assert done.code == 2
    assert told in done.err


def test_intents_weigh_the_subtopics(folder: Path) -> None:
    (folder / "intents").write_text("1 1 0.75\n1 2 0.25\n2 1 1\n")
    found = scores(folder, "-m", "StRec@1", "--intents", folder / "intents")
    assert found["1"]["value"] == "0.75"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 1\n", "expected topic, subtopic and probability"),
        ("1 1 much\n", "expected topic, subtopic and probability"),
        ("1 1 -1\n2 1 1\n", "is no probability"),
        ("1 1 1\n", "has no probability for topic 2"),
    ],
)
def test_bad_intents_are_named(folder: Path, text: str, told: str) -> None:
    (folder / "intents").write_text(text)
    given = ("evaluate", folder / "qrels", folder / "my.run", "-m", "StRec@1")
    done = call(*given, "--intents", folder / "intents")
    assert done.code == 2
    assert told in done.err


def test_a_folder_uses_both_of_its_qrels(tmp_path: Path) -> None:
    mixed = call("evaluate", COLLECTION, "-m", "P@10", "-m", "StRec@5", "-m", "ABSrb@20")
    assert mixed.code == 0, mixed.err
    alone = call("evaluate", COLLECTION, "-m", "P@10").out
    assert mixed.out.startswith(alone)
    assert len(mixed.rows()) == 3 * 24
    assert not list(COLLECTION.glob("*.parquet"))


def test_subtopics_may_be_learned_elsewhere(tmp_path: Path) -> None:
    """Another collection's judgments and texts give the same as one's own, if they are the same."""
    new = tmp_path / "new"
    (new / "runs").mkdir(parents=True)
    for name in ("farlight-hand.gz", "anstey-bm25.gz"):
        (new / "runs" / name).write_bytes((COLLECTION / "runs" / name).read_bytes())
    (new / "docs.jsonl.gz").write_bytes((COLLECTION / "docs.jsonl.gz").read_bytes())
    elsewhere = call("evaluate", new, "-m", "DELTArb@20", "--subtopic-docs", COLLECTION)
    assert elsewhere.code == 0, elsewhere.err
    own = leadline.evaluate(
        COLLECTION / "qrels.ndeval.txt.gz",
        new / "runs",
        "DELTArb@20",
        docs=COLLECTION,
        statistics=tmp_path / "words.parquet",
    )
    values = [float(row["value"]) for row in elsewhere.rows()]
    assert values == pytest.approx(own["value"].to_list(), abs=1e-12)
    assert (tmp_path / "words.parquet").is_file()
    assert call("evaluate", new, "-m", "StRec@5", "--subtopic-docs", COLLECTION).code == 2


def test_documents_of_another_collection_may_have_other_names(tmp_path: Path) -> None:
    new = tmp_path / "new"
    (new / "runs").mkdir(parents=True)
    run = gzip.decompress((COLLECTION / "runs" / "farlight-hand.gz").read_bytes())
    (new / "runs" / "mine.run").write_bytes(run.replace(b" Q0 ", b" Q0 other-"))
    docs = gzip.decompress((COLLECTION / "docs.jsonl.gz").read_bytes()).splitlines()
    renamed = ({**json.loads(line), "id": f"other-{json.loads(line)['id']}"} for line in docs)
    (new / "docs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in renamed))
    given = ("evaluate", new, "-m", "DELTArb(clip=false)@20", "--subtopic-docs", COLLECTION)
    result = call(*given)
    assert (result.code, result.err) == (0, "")
    # Of our own judgments it is said as ever.
    (new / "qrels.txt").write_text("1 0 a 1\n")
    assert "nothing that it returns is judged in" in call(*given, "-m", "P@3").err


def test_judged_documents_may_be_in_no_run(folder: Path) -> None:
    other = folder / "other"
    other.write_text('{"id": "f", "text": "the moon pulls the tide"}\n')
    (folder / "qrels").write_text("1 1 f 1\n1 2 f 0\n")
    found = scores(folder, "-m", "ABSnb@3", "--docs", folder / "docs", "--subtopic-docs", other)
    assert float(found["1"]["value"]) > 0
    assert found["1"]["judged"] == "0.0"
