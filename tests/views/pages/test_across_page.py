"""The page of several collections says what was computed."""

import re
from pathlib import Path

import pytest

import leadline
from leadline.io.datasets import COLLECTION

RUNS = ["anstey-bm25", "eastwick-mmr", "farlight-hand"]


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two lists of topics of the demo collection."""
    folder = tmp_path_factory.mktemp("topics")
    names = leadline.read(COLLECTION).runs.pairs.topics
    paths = [folder / "one.txt", folder / "other.txt"]
    for path, some in zip(paths, (names[:8], names[8:]), strict=True):
        path.write_text("".join(f"{name}\n" for name in some))
    return paths


def test_the_page_holds_scores_of_each_collection_and_tiers_over_all(topics: list[Path]) -> None:
    parts = {path.stem: leadline.read(COLLECTION, run_names=RUNS, topics=path) for path in topics}
    page = leadline.report(parts, measures=["P@10", "RBP(p=0.8)"])
    text = re.sub(r"<[^>]+>", " ", str(page))
    assert "3 runs on 2 collections: one (8 topics), other (12 topics)" in text
    compared = leadline.compare(parts, measures="P@10")
    for row in compared.tiers.frame.iter_rows(named=True):
        for name in ("value", "one score", "other score"):
            assert f"{row[name]:.4f}" in text
    best = compared.tiers.frame["run"][0]
    assert f"P@10: {best} has the highest mean" in text
    assert page.frame.filter(topic="all")["value"].to_list() == pytest.approx(
        [
            each
            for name in ("P@10", "RBP(p=0.8)")
            for each in leadline.compare(parts, measures=name).pairs[name].scores.mean()
        ]
    )


def test_options_of_one_collection_are_refused(topics: list[Path]) -> None:
    parts = [COLLECTION, leadline.read(COLLECTION, topics=topics[0])]
    with pytest.raises(ValueError, match="`pool_depth` is for one collection"):
        leadline.report({"a": parts[0], "b": parts[1]}, pool_depth=5)
