"""report: the page tells how it was made, is written by suffix, and refuses nonsense."""

import html
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leadline
from leadline.api.report import Report, report
from leadline.io.datasets import COLLECTION

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUNS = {
    "one": {"1": {"a": 9.5, "z": 7.0}, "2": {"c": 3.0}},
    "two": {"1": {"z": 9.5, "a": 7.0}, "2": {"c": 3.0}},
}


@pytest.fixture(scope="module")
def page() -> str:
    return report(COLLECTION, None, ["RBP(p=0.8)", "nDCG@10"]).page


@pytest.fixture(scope="module")
def small() -> Report:
    return report(QRELS, RUNS, ["P@2", "AP"], title="Mine & yours")


def test_it_tells_how_to_make_it_again_and_that_is_true(page: str, tmp_path: Path) -> None:
    shown = re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert shown is not None
    assert eval(html.unescape(shown[1]), {"leadline": leadline}).page == page
    pool = tmp_path / "pool.csv"
    pl.DataFrame(
        {"topic": ["1"], "doc": ["sea-012"], "stratum": [0], "inclusion": [1.0]}
    ).write_csv(pool)
    told = {"pool": pool, "seed": 3, "alpha": 0.1, "pool_depth": 2, "title": "T"}
    other = report(COLLECTION, None, "P@5", **told).page
    shown = re.search(r"<pre>(.*?)</pre>", other, re.DOTALL)
    assert shown is not None
    assert eval(html.unescape(shown[1]), {"leadline": leadline}).page == other


def test_runs_without_topics_in_common_are_refused() -> None:
    with pytest.raises(ValueError, match="no topic in common"):
        report({"1": {"a": 1}}, {"x": {"7": {"a": 1.0}}, "y": {"1": {"a": 1.0}}}, ["P@3"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 2}, "`alpha` must lie between 0 and 1"),
        ({"pool_depth": 0}, "`pool_depth` must be at least 1"),
        ({"seed": -1}, "must not be negative"),
        ({"test": "nonsense"}, "nonsense"),
        ({"runs": COLLECTION / "runs" / "anstey-bm25.gz", "test": "nonsense"}, "nonsense"),
        ({"correction": "nonsense"}, "nonsense"),
        ({"measures": []}, "name a measure"),
        ({"estimates": "no-such-file.csv"}, "no such file"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        report(COLLECTION, **options)


def test_its_scores_are_those_of_evaluate(small: Report) -> None:
    scores = leadline.evaluate(QRELS, RUNS, ["P@2", "AP"], per_topic=True)
    assert small.frame.sort("run", "topic", "measure").equals(
        scores.frame.sort("run", "topic", "measure")
    )
    assert small.wide().columns == ["run", "P@2", "AP"]
    assert str(small) == small.page


def test_it_is_written_by_suffix(small: Report, tmp_path: Path) -> None:
    small.write(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == small.page
    small.write(tmp_path / "r.csv")
    assert pl.read_csv(tmp_path / "r.csv").columns[:3] == ["run", "topic", "measure"]
    with pytest.raises(
        ValueError, match=r"r\.pdf: a page is written to \.html, its scores to \.csv"
    ):
        small.write(tmp_path / "r.pdf")


def test_in_a_notebook_the_page_has_a_frame_of_its_own(small: Report) -> None:
    shown = small._repr_html_()
    inside = re.search(r'srcdoc="([^"]*)"', shown)
    assert inside is not None
    assert html.unescape(inside[1]) == small.page
    assert 'sandbox="allow-scripts"' in shown


def test_the_digest_follows_the_files(tmp_path: Path) -> None:
    def digest() -> str:
        made = report(tmp_path / "q", tmp_path / "r.run", "P@1").page
        found = re.search(r"<dd>([0-9a-f]{32}) ", made)
        assert found is not None
        return found[1]

    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1 x\n")
    first = digest()
    assert digest() == first
    (tmp_path / "r.run").write_text("1 Q0 b 1 1 x\n")
    assert digest() != first
    assert "digest of the input" not in report(QRELS, RUNS, "P@1").page


def test_a_confidence_is_shown_beside_what_is_certain() -> None:
    sure = report(QRELS, RUNS, ["P@2"], confidence=0.9)
    assert "topics, t: lower" in sure.page
    assert "topics, bootstrap: upper" in sure.page
    assert "allow for the sample of topics" in sure.page
    assert sure.frame.columns[-1] == "ci_bootstrap_upper"
    plain = report(QRELS, RUNS, ["P@2"])
    assert "topics, t: lower" not in plain.page
    assert "ci_lower" not in plain.frame.columns
    with pytest.raises(ValueError, match="`confidence` must lie between 0 and 1"):
        report(QRELS, RUNS, ["P@2"], confidence=0.0)


def test_labels_help_where_judgments_were_drawn(tmp_path: Path) -> None:
    drawn = tmp_path / "pool.csv"
    leadline.pool(COLLECTION, strategy="UniformSample(d=10, rate=0.5)", all_runs=True).write(drawn)
    labels = {"1": {"sea-012": 1, "sea-003": 0}}
    made = report(COLLECTION, None, ["P@10", "AP"], pool=drawn, labels={"gpt": labels})
    assert "unjudged as assisted" in made.page
    assert "ModelAssisted(shrink=true)" in made.page
    assert any("labels of gpt are evidence for P@10" in str(each) for each in made.notices.problems)
    assert not any("no confidence interval" in line for line in made.notices.lines())
    assert "is scored on the judgments that made it the leader" in made.page
    (few,) = (each for each in made.notices.problems if each.code == "no-interval")
    assert "with shrink=true" in few.message
    sure = report(
        COLLECTION, None, ["P@10", "AP"], pool=drawn, labels={"gpt": labels}, confidence=0.9
    )
    assert any("no confidence interval over topics of P@10" in s for s in sure.notices.lines())
    means = sure.frame.filter(pl.col("topic") == "all")
    known = means.group_by("measure").agg(pl.col("ci_lower").is_not_null().all())
    assert dict(known.iter_rows()) == {"P@10": False, "AP": True}
    # Without a sample they assist no estimate: their scores stand beside the others.
    beside = report(COLLECTION, None, ["P@10"], labels={"gpt": labels})
    assert "unjudged as assisted" not in beside.page
    assert "with labels" in beside.page
    with pytest.raises(ValueError, match="name RBP, P, DCG or SDCG"):
        report(COLLECTION, None, ["AP"], pool=drawn, labels={"gpt": labels})
