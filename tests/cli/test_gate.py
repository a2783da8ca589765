"""`leadline gate`: exit codes, formats, files, and what is said about bad input."""

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from tests.cli.program import call

SEA = str(COLLECTION)
SCHEMA = json.loads(Path("docs/schemas/gate.schema.json").read_text())
PASSES = (SEA, "--baseline", "anstey-bm25", "--new", "corran-lsa60")
FAILS = (SEA, "--baseline", "anstey-bm25", "--new", "holmsand-reversed")
OPEN = (SEA, "--baseline", "corran-lsa60", "--new", "greyness-fusion")


@pytest.mark.parametrize(
    ("asked", "code", "verdict"),
    [(PASSES, 0, "not_worse"), (FAILS, 1, "worse"), (OPEN, 3, "undecided")],
)
def test_the_exit_code_is_the_verdict(asked: tuple[str, ...], code: int, verdict: str) -> None:
    done = call("gate", *asked)
    assert done.code == code, done.err
    assert done.out.startswith(
        "measure,slice,difference,ci_lower,ci_upper,lower,upper,likely_worse,verdict,"
        "on_these_topics,certainty,caveats,judge_next"
    )
    (row,) = done.rows()
    assert row["verdict"] == verdict
    assert done.err.startswith(f"{verdict.replace('_', ' ')}: by nDCG@10, ")
    assert "(95% confidence, allowing for topic sampling and unjudged documents" in done.err


def test_json_is_as_the_schema_says() -> None:
    done = call("gate", *OPEN, "--format", "json", "-m", "nDCG@10", "-m", "AP")
    assert done.code == 3
    jsonschema.validate(done.json(), SCHEMA, cls=jsonschema.Draft202012Validator)
    assert done.json()["exit_code"] == 3


def test_all_files_of_one_call(tmp_path: Path) -> None:
    names = {"markdown": "s.md", "junit": "j.xml", "judge-next": "t.csv"}
    words = [word for name, file in names.items() for word in (f"--{name}", str(tmp_path / file))]
    done = call("gate", *FAILS, *words, "-o", str(tmp_path / "gate.json"))
    assert done.code == 1
    assert done.out == ""
    assert (tmp_path / "s.md").read_text().startswith("### ❌ holmsand-reversed against")
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("failures") == "1"
    assert (tmp_path / "t.csv").read_text().startswith("measure,topic,doc,worth,")
    assert json.loads((tmp_path / "gate.json").read_text())["verdict"] == "worse"


def test_junit_by_suffix_and_by_format(tmp_path: Path) -> None:
    file = tmp_path / "gate.xml"
    assert call("gate", *PASSES, "-o", str(file)).code == 0
    printed = call("gate", *PASSES, "--format", "junit")
    assert printed.out == file.read_text()
    wrong = call("gate", *PASSES, "-o", str(file), "--format", "csv")
    assert wrong.code == 2
    assert "its suffix says junit, --format csv" in wrong.err
    wrong = call("gate", *PASSES, "-o", str(tmp_path / "x.csv"), "--format", "junit")
    assert wrong.code == 2
    assert "its suffix says csv, --format junit" in wrong.err


def test_a_table_says_its_verdict_once() -> None:
    done = call("gate", *PASSES, "--format", "table")
    assert done.code == 0
    assert "not worse: by nDCG@10" in done.out
    assert "not worse: by nDCG@10" not in done.err


def test_qrels_and_two_files(tmp_path: Path) -> None:
    qrels = str(COLLECTION / "qrels.txt.gz")
    runs = [str(COLLECTION / "runs" / f"{name}.gz") for name in ("anstey-bm25", "corran-lsa60")]
    done = call("gate", qrels, "--baseline", runs[0], "--new", runs[1], "-e", "none")
    assert done.code in (0, 3)
    assert done.rows()[0]["likely_worse"] == ""
    learnt = call("gate", qrels, "--baseline", runs[0], "--new", runs[1])
    assert "other runs were pooled than those at hand: give these too" in learnt.err
    assert learnt.out == done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((SEA, "--baseline", "nobody", "--new", "corran-lsa60"), "nobody: is no file, and no run"),
        ((*PASSES, "--margin", "-1"), "--margin must be 0 or more"),
        ((*PASSES, "--confidence", "2"), "--confidence must lie between 0.5 and 1"),
        ((*PASSES, "-m", "bpref"), "bpref has no interval"),
        ((*PASSES, "--slices", "/nowhere.tsv"), "/nowhere.tsv"),
        (("/nowhere", "--baseline", "a", "--new", "b"), "/nowhere"),
        ((SEA, "--baseline", "anstey-bm25"), "--new"),
    ],
)
def test_bad_input_is_named(words: tuple[str, ...], message: str) -> None:
    done = call("gate", *words)
    assert done.code == 2
    assert message in done.err


def test_what_is_expected_stands_between_the_ends_that_are_shown(tmp_path: Path) -> None:
    # The new run was not pooled: as judged it lacks much that it is expected to have.
    old = [COLLECTION / "runs" / f"{name}.gz" for name in ("anstey-bm25", "corran-lsa60")]
    new = COLLECTION / "runs" / "farlight-hand.gz"
    pooled = leadline.pool("none", old, strategy="Depth(d=3)").select("topic", "doc").rows()
    lines = gzip.decompress((COLLECTION / "qrels.txt.gz").read_bytes()).decode().splitlines()
    kept = [line for line in lines if (line.split()[0], line.split()[2]) in set(pooled)]
    (tmp_path / "few.txt").write_text("".join(f"{line}\n" for line in kept))
    files = (str(tmp_path / "few.txt"), *map(str, old))
    asked = (*files, "--baseline", "corran-lsa60", "--new", str(new))
    table = call("gate", *asked, "--format", "table").out.splitlines()
    assert table[1].split()[2:] == [
        "difference",
        "expected",
        "combined",
        "lower",
        "upper",
        "P(worse)",
        "verdict",
    ]
    difference, expected, combined_lower, combined_upper = map(float, table[2].split()[2:6])
    assert difference < combined_lower <= expected <= combined_upper
    junit = call("gate", *OPEN, "--format", "junit").out
    assert "difference +0.0064 as judged, +0.0064 expected, combined interval" in junit
    assert (
        "| difference | expected | combined lower |"
        in call("gate", *asked, "--format", "markdown").out
    )
    plain = call("gate", *asked, "--estimator", "none", "--format", "table").out.splitlines()
    assert "expected" not in plain[1]


def test_a_refused_suffix_is_answered_by_all_that_gate_writes(tmp_path: Path) -> None:
    done = call("gate", *PASSES, "-o", str(tmp_path / "gate.pdf"))
    assert done.code == 2
    assert "by suffix: .csv .tsv .json .parquet .md .tex .html .xml" in done.err


CLASSIC = "unjudged counted as non-relevant"


def test_a_classic_gate_is_labelled_in_every_output(tmp_path: Path) -> None:
    names = {"markdown": "s.md", "junit": "j.xml"}
    words = [word for name, file in names.items() for word in (f"--{name}", str(tmp_path / file))]
    classic = ("--unjudged-as", "lower", "-m", "nDCG@10", "-m", "AP")
    for asked in (PASSES, FAILS, OPEN):
        done = call("gate", *asked, *classic, *words, "--chart", str(tmp_path / "c.json"))
        assert all(CLASSIC in row["caveats"].split("; ") for row in done.rows())
        assert CLASSIC in done.err
        for file in (*names.values(), "c.json"):
            assert CLASSIC in (tmp_path / file).read_text(), file
        for form in ("json", "table", "html", "latex", "junit", "markdown"):
            printed = call("gate", *asked, *classic, "--format", form)
            assert CLASSIC in " ".join(printed.out.split()), form
        printed = call("gate", *asked, *classic, "--format", "json")
        jsonschema.validate(printed.json(), SCHEMA, cls=jsonschema.Draft202012Validator)
        assert printed.json()["unjudged_as"] == "lower"
    assert CLASSIC not in call("gate", *PASSES, "--format", "json").out


def test_a_classic_gate_takes_no_labels_and_one_rule() -> None:
    done = call("gate", *PASSES, "--unjudged-as", "lower", "--labels", "labels.csv")
    assert done.code == 2
    assert "labels are ignored with --unjudged-as lower: omit it, or --labels" in done.err
    assert call("gate", *PASSES, "--unjudged-as", "upper").code == 2


def test_documents_that_the_corpus_lacks_end_in_exit_2(tmp_path: Path) -> None:
    lines = gzip.decompress((COLLECTION / "runs" / "corran-lsa60.gz").read_bytes()).decode()
    fields = [line.split() for line in lines.splitlines()]
    for number, own in enumerate(fields):
        if own[3] == "1":
            own[2] = f"elsewhere{number}"
        if own[3] == "40":
            own[2] = f"far{number}"
    run = tmp_path / "new.run"
    run.write_text("".join(f"{' '.join(own)}\n" for own in fields))
    asked = ("gate", SEA, "--baseline", "anstey-bm25", "--new", str(run))
    for how in ((), ("--unjudged-as", "lower"), ("-e", "none")):
        done = call(*asked, *how)
        assert done.code == 2
        assert "new: returns 20 documents that " in done.err
        assert "docs.jsonl.gz does not hold: elsewhere" in done.err
        # Only the ranks that nDCG@10 looks at count.
        assert "far" not in done.err.partition("does not hold")[2]
    assert call(*asked, "--missing-docs", "skip").code in (0, 1, 3)
