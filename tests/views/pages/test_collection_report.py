"""The page as text: self-contained, the same each time, and safe whatever runs are called."""

import base64
import gzip
import html
import json
import re
from typing import Any

import pytest

import leadline
from leadline.api.pool import pool
from leadline.api.report import report
from leadline.io.datasets import COLLECTION
from tests.views.small import runs_of


def data_of(page: str) -> Any:
    found = re.search(r'id="data">([^<]*)</script>', page)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


@pytest.fixture(scope="module")
def page() -> str:
    return report(COLLECTION, None, ["RBP(p=0.8)", "nDCG@10"]).page


def test_the_same_input_gives_the_same_bytes(page: str) -> None:
    assert report(COLLECTION, None, ["RBP(p=0.8)", "nDCG@10"]).page == page


def test_nothing_in_it_points_outside(page: str) -> None:
    addresses = set(re.findall(r"""(?:src|href|action)=["']?([^"'> ]+)""", page))
    assert {each for each in addresses if not each.startswith("#")} == {"data:,"}
    assert "@import" not in page
    assert "url(" not in page
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}


def test_names_cannot_become_markup() -> None:
    bad = "<img src=x onerror=alert(1)>"
    made = report({"1": {"d0": 1}}, runs_of([bad, "b"], n_topics=1), ["P@3"], title=bad).page
    assert bad not in made
    assert data_of(made)["runs"] == [bad, "b"]


def test_every_notice_is_in_it() -> None:
    made = report(COLLECTION, None, ["AP"])
    assert made.notices.problems
    for problem in made.notices.problems:
        assert html.escape(problem.message) in made.page
    qrels = {"1": {"a": 1}, "2": {"a": 0}}
    runs = {"x": {"1": {"a": 1.0}, "9": {"a": 1.0}}, "y": {"1": {"b": 1.0}, "2": {"a": 1.0}}}
    odd = report(qrels, runs, ["AP"])
    codes = {problem.code for problem in odd.notices.problems}
    assert codes == {"missing-topic", "unjudged-topic", "undefined"}
    for code in codes:
        assert f">{code}<" in odd.page


@pytest.mark.parametrize("strategy", ["Depth(d=3)", "UniformSample(d=20, rate=0.3)"])
def test_scores_are_those_of_evaluate_also_inside_a_pool(strategy: str) -> None:
    # infAP counts what was not drawn, which only a complete pool tells without more.
    more = ["infAP"] if strategy.startswith("Depth") else ["statAP"]
    names = ["RBP(p=0.8)", *more, "AP", "bpref", "nDCG@10"]
    drawn = pool(COLLECTION, None, strategy, all_runs=True, seed=5)
    truth = leadline.evaluate(COLLECTION, None, names, pool=drawn)
    for each in data_of(report(COLLECTION, None, names, pool=drawn).page)["measures"]:
        rows = truth.filter(measure=each["name"])
        for ours, theirs in (("mean", "value"), ("lower", "lower"), ("upper", "upper")):
            known = [None if x is None else round(x, 6) for x in rows[theirs]]
            assert each[ours] == pytest.approx(known, abs=2e-6)


def test_what_compare_warns_of_is_in_it() -> None:
    made = report(COLLECTION, None, ["P@5"], test="randomisation(n=100)")
    (found,) = [each for each in made.notices.problems if each.code == "few-draws"]
    assert html.escape(found.message) in made.page
