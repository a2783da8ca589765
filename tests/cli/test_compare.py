"""`leadline compare`: columns, forms, files, and what it says when input is wrong."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from tests.cli.program import Result, call

COLUMNS = (
    "run_a,run_b,measure,test,unjudged_as,difference,lower,upper,p,p_corrected,verdict,"
    "on_these_topics,certainty,caveats"
)


def good(result: Result) -> Result:
    assert result.code == 0, result.err
    return result


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """Qrels to depth 5 and three runs."""
    pool = leadline.pool(COLLECTION, None, "Depth(d=5)", all_runs=True).select("topic", "doc")
    qrels = pl.read_csv(
        COLLECTION / "qrels.txt.gz",
        separator=" ",
        has_header=False,
        new_columns=["topic", "iteration", "doc", "grade"],
        schema_overrides=[pl.String] * 4,
    )
    kept = qrels.join(pool, on=["topic", "doc"], how="semi")
    kept.write_csv(tmp_path / "qrels.txt", separator=" ", include_header=False)
    names = ("farlight-hand", "eastwick-mmr", "anstey-bm25")
    return [tmp_path / "qrels.txt", *(COLLECTION / "runs" / f"{name}.gz" for name in names)]


def test_it_writes_the_promised_columns(three: list[Path]) -> None:
    result = good(call("compare", *three, "-m", "P@10", "-m", "AP"))
    assert result.out.splitlines()[0] == COLUMNS
    rows = result.rows()
    assert [(row["run_a"], row["run_b"]) for row in rows[:3]] == [
        ("farlight-hand", "eastwick-mmr"),
        ("farlight-hand", "anstey-bm25"),
        ("eastwick-mmr", "anstey-bm25"),
    ]
    assert {row["measure"] for row in rows} == {"P@10", "AP"}
    assert {(row["test"], row["unjudged_as"]) for row in rows} == {("t", "lower")}
    assert {row["verdict"] for row in rows} == {"better", "undecided"}
    assert all("sign could flip" in row["caveats"] for row in rows)
    assert "P@10: 1 of 3 pairs differ significantly" in result.err


def test_python_gives_the_same(three: list[Path]) -> None:
    rows = good(
        call("compare", *three, "-m", "RBP(p=0.8)", "--details", "--test", "randomisation(n=99)")
    ).rows()
    frame = leadline.compare(
        three[0], three[1:], "RBP(p=0.8)", test="randomisation(n=99)", details=True
    )
    assert list(rows[0]) == frame.columns
    assert [row["p"] for row in rows] == [str(p) for p in frame["p"]]


@pytest.mark.parametrize("test", ["wilcoxon", "t", "sign", "randomisation", "bootstrap", "tukey"])
def test_every_test_by_its_name(three: list[Path], test: str) -> None:
    rows = good(call("compare", *three, "--test", test, "--correction", "bh")).rows()
    assert {row["test"] for row in rows} == {test}
    assert all(0 < float(row["p"]) <= float(row["p_corrected"]) <= 1 for row in rows)


def test_it_says_what_is_tested_and_what_one_tail_does(three: list[Path]) -> None:
    two = good(call("compare", *three, "-m", "AP", "--test", "sign"))
    assert "sign: tests that each run is ahead on as many topics as the other, not" in two.err
    assert "doubles the error" not in two.err
    one = good(call("compare", *three, "-m", "AP", "--tails", "1", "--alpha", "0.1"))
    assert "doubles the error" in one.err
    assert "20% of pairs and not 10%" in one.err


def test_two_runs_are_enough_for_every_test(three: list[Path]) -> None:
    for test in ("tukey", "bootstrap"):
        assert len(good(call("compare", *three[:3], "-m", "AP", "--test", test)).rows()) == 1


def test_a_baseline_and_tiers_and_topics(three: list[Path], tmp_path: Path) -> None:
    rows = good(call("compare", *three, "-m", "AP", "--baseline", "anstey-bm25")).rows()
    assert [row["run_b"] for row in rows] == ["anstey-bm25"] * 2
    rows = good(call("compare", *three, "--tiers", "-m", "P@10")).rows()
    assert list(rows[0]) == [
        "run",
        "measure",
        "value",
        "lower",
        "upper",
        "tier_certainty",
        "tier_significance",
    ]
    assert [row["tier_significance"] for row in rows] == ["1", "1", "2"]
    assert {row["tier_certainty"] for row in rows} == {"1"}
    topics = tmp_path / "topics.txt"
    topics.write_text("3\n")
    rows = good(call("compare", *three, "--topics", topics, "--details", "--test", "t")).rows()
    assert {(row["n_topics"], row["p"], row["verdict"]) for row in rows} == {("1", "", "undecided")}


def test_a_pool_restricts_the_judgments(three: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "pool.csv"
    good(call("pool", COLLECTION, "--all-runs", "--strategy", "Depth(d=5)", "-o", file))
    pooled = good(call("compare", COLLECTION / "qrels.txt.gz", *three[1:], "--pool", file))
    assert pooled.out == good(call("compare", *three)).out
    file.write_text("topic,doc\n1,nowhere\n")
    assert "holds no document of these runs" in call("compare", *three, "--pool", file).err


def test_json_and_files(three: list[Path], tmp_path: Path) -> None:
    rows = good(call("compare", *three, "--format", "json")).json()
    assert set(rows[0]) == set(COLUMNS.split(","))
    for name, begin in (("p.json", "["), ("p.csv", "run_a,"), ("p.tex", "%"), ("p.md", "|")):
        assert not good(call("compare", *three, "-o", tmp_path / name)).out
        assert (tmp_path / name).read_text().startswith(begin)


def test_a_table_for_the_terminal(three: list[Path]) -> None:
    text = good(call("compare", *three, "-m", "P@10", "--format", "table")).out
    assert "tier by certainty" in text
    assert "[-0.0100, +0.1700]" in text
    assert "caveats: 1 sign could flip, 2 few topics" in text
    many = good(call("compare", COLLECTION, "--format", "table")).out
    assert "farlight-hand" in many
    assert "against" in many
    assert "... and 253 pairs without the best run" in many


def test_latex_for_papers(three: list[Path]) -> None:
    text = good(call("compare", *three, "-m", "P@10", "--format", "latex")).out
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 4
    assert len({line.count("&") for line in rows}) == 1
    assert r"a & eastwick-mmr & 0.5900$^{\mathrm{(c)}}$ & [0.590, 0.715] & 1 / 1 \\" in rows
    assert text.count("{tabular}") == 2


def test_markdown_for_papers(three: list[Path]) -> None:
    import markdown

    text = good(call("compare", *three, "-m", "P@10", "--format", "markdown")).out
    page = markdown.markdown(text, extensions=["tables"])
    assert page.count("<tr>") == 4
    assert page.count("<th") == 5 + 1  # and thead
    assert "0.5900<sup>(c)</sup>" in page


@pytest.mark.parametrize("kind", ["svg", "png", "html", "json"])
def test_a_diagram(three: list[Path], tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"cd.{kind}"
    good(call("compare", *three, "-m", "P@10", "--chart", file))
    content = file.read_bytes()
    starts = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE", "json": b"{"}
    assert content.lstrip().startswith(starts[kind])
    if kind == "json":
        values = json.dumps(json.loads(content))
        assert "eastwick-mmr" in values
    if kind == "svg":
        assert b"anstey-bm25" in content


def test_nothing_judged_and_identical_runs(tmp_path: Path) -> None:
    lines = "".join(f"1 Q0 d{rank} {rank} {9 - rank} x\n" for rank in range(3))
    for name in ("a", "b"):
        (tmp_path / name).write_text(lines)
    (tmp_path / "c").write_text(lines.replace("d", "e"))
    files = [tmp_path / name for name in "abc"]
    result = good(call("compare", "none", *files))
    found = {(row["run_a"], row["run_b"]): row for row in result.rows()}
    assert found["a", "b"]["verdict"] == "equal"
    assert (found["a", "b"]["lower"], found["a", "b"]["upper"]) == ("0.0", "0.0")
    assert found["a", "c"]["verdict"] == "undecided"
    assert "sign could flip" in found["a", "c"]["caveats"]
    assert found["a", "c"]["p"] == ""
    assert "no document of these runs was judged" in result.err


def test_too_few_draws_for_the_correction_are_said() -> None:
    result = good(call("compare", COLLECTION, "--test", "randomisation(n=1000)"))
    assert not [row for row in result.rows() if row["verdict"] in ("better", "worse")]
    assert "1,000 draws cannot give a corrected p below 0.28 for 276 pairs" in result.err
    assert "randomisation(n=5520)" in result.err
    assert "draws cannot" not in good(call("compare", COLLECTION, "--test", "tukey(n=100)")).err


def test_ties_that_rounding_broke_are_said(three: list[Path]) -> None:
    raw = good(call("compare", *three, "-m", "P@10", "--test", "wilcoxon(decimals=none)"))
    tied = good(call("compare", *three, "-m", "P@10", "--test", "wilcoxon"))
    assert "of 3 pairs differences that should tie" in raw.err
    assert "should tie" not in tied.err
    assert [row["p"] for row in raw.rows()] != [row["p"] for row in tied.rows()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--test", "wilcoxen"), "no test is named wilcoxen, did you mean wilcoxon?"),
        (("--test", "t(n=3)"), "t has no parameter n"),
        (("--test", "randomisation(n=0)"), "number of draws"),
        (("--test", "tukey", "--tails", "1"), "two tails, not 1"),
        (("--test", "tukey", "--unjudged-as", "projected"), "one score for each run"),
        (("--tails", "3"), "--tails must be one of 1, 2, not 3"),
        (("--alpha", "0"), "alpha must lie between 0 and 1"),
        (("--baseline", "zzz"), "no run is named zzz"),
        (("-m", "AP", "--unjudged-as", "projected"), "has no projected score"),
        (("-m", "bpref", "--unjudged-as", "upper"), "has no interval"),
        (("-m", "Q@10"), "no measure is named Q"),
        (("--topics", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_faults_are_named_with_exit_2(
    three: list[Path], arguments: tuple[str, ...], message: str
) -> None:
    result = call("compare", *three, *arguments)
    assert result.code == 2
    assert message in re.sub(r"\s+", " ", result.err)
    assert "Traceback" not in result.err
    assert not result.out


def test_one_run_is_a_fault(three: list[Path]) -> None:
    result = call("compare", *three[:2])
    assert result.code == 2
    assert "takes two runs, found 1: farlight-hand" in result.err
