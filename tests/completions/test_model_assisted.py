"""ModelAssisted against its plain twin, and what it refuses."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import TrainingData
from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import (
    FEWEST_BY_BATCHES,
    FEWEST_DRAWN,
    ModelAssisted,
    assisted,
    drawn_pairs,
    shrunk,
)
from leadline.data.judgments import Judgments
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.reference import few


@given(small_collections(judged=1.0), st.integers(0, 2**32 - 1))
def test_scores_and_errors_equal_the_twin(small: Small, seed: int) -> None:
    runs, judgments = small.tables()
    random = np.random.default_rng(seed)
    chance = random.uniform(0.2, 1.0, len(runs.pairs))
    judged = judgments.judged & (random.random(len(runs.pairs)) < chance)
    if not judged.any() or not len(runs.pair):
        return
    grade = np.where(judged, judgments.grade, 0)
    sample_of = Judgments(
        runs.pairs, judged, grade, inclusion=chance, max_grade=judgments.max_grade
    )
    evidence = TrainingData(parse_measure("SDCG@3"), runs, sample_of)
    weights = PairWeights.of(runs, evidence.weighted)
    sample = drawn_pairs(evidence, weights, 0)
    names = [runs.pairs.name(int(pair)) for pair in weights.pair]
    dense = weights.matrix.toarray()
    rows = {
        run: {name: float(dense[at, p]) for p, name in enumerate(names) if dense[at, p]}
        for at, run in enumerate(runs.names)
    }
    gains = dict(zip(names, sample.gain.tolist(), strict=True))
    expected = dict(zip(names, sample.expected.tolist(), strict=True))
    chances = dict(zip(names, sample.inclusion.tolist(), strict=True))
    typical = dict(zip(names, sample.spread().tolist(), strict=True))
    drawn = {name for name, known in zip(names, sample.drawn, strict=True) if known}
    estimate, drawn_in = assisted(weights, sample), shrunk(weights, sample)
    together = few.shrunk(rows, gains, expected, chances, drawn)
    error = estimate.difference_error()
    for at, (run, row) in enumerate(rows.items()):
        assert estimate.value[at] == pytest.approx(
            few.score(row, gains, expected, chances, drawn), abs=1e-9
        )
        assert drawn_in.value[at] == pytest.approx(together[run], abs=1e-9)
        known = gains, expected, typical, chances, drawn
        own, own_degrees = few.known_error(row, *known)
        assert estimate.standard_error[at] ** 2 == pytest.approx(own, abs=1e-9)
        first = few.difference(row, rows[runs.names[0]])
        both = few.variance(first, gains, expected, chances, drawn)
        degrees = few.degrees(first, gains, expected, chances, drawn)
        assert error[at, 0] ** 2 == pytest.approx(both, abs=1e-9)
        assert estimate.degrees is not None
        if own > 1e-6:
            assert estimate.degrees[at, at] == pytest.approx(own_degrees, rel=1e-4)
        if at and both > 1e-4 * own:
            assert estimate.degrees[at, 0] == pytest.approx(degrees, rel=1e-2)


def test_judgments_that_nobody_drew_are_refused() -> None:
    small = Small({"a": {"1": ["x", "y"]}}, {"1": {"x": 1, "y": 0}}, 1)
    runs, judgments = small.tables()
    with pytest.raises(ValueError, match=r"sampled at random.*leadline pool"):
        ModelAssisted().gains(TrainingData(parse_measure("P@2"), runs, judgments))


def test_what_is_judged_for_certain_has_no_error() -> None:
    small = Small({"a": {"1": ["x", "y"]}}, {"1": {"x": 1, "y": 0}}, 1)
    runs, judgments = small.tables()
    certain = Judgments(runs.pairs, judgments.judged, judgments.grade, inclusion=np.ones(2))
    mean = ModelAssisted().gains(TrainingData(parse_measure("P@2"), runs, certain)).of_mean
    assert mean is not None
    assert mean.value.tolist() == [0.5]
    assert mean.standard_error.tolist() == [0.0]


def test_what_could_not_be_drawn_is_told() -> None:
    docs = [f"d{number}" for number in range(20)]
    small = Small({"a": {"1": docs}}, {"1": dict.fromkeys(docs, 1)}, 1)
    runs, judgments = small.tables()
    first = runs.best_rank <= 10
    drawn = Judgments(
        runs.pairs, judgments.judged & first, judgments.grade * first, inclusion=first * 0.5
    )
    shallow = ModelAssisted().gains(TrainingData(parse_measure("P@10"), runs, drawn))
    assert shallow.doubts == ()
    deep = ModelAssisted().gains(TrainingData(parse_measure("P@20"), runs, drawn))
    assert deep.doubts[0].startswith("50% of what P@20 weighs lies where nothing could be drawn")
    assert deep.of_mean is not None
    assert np.isnan(deep.of_mean.margin()).all()


ROOT = Path(__file__).parents[2]
FEWEST = {
    "README.md": r"fewer than about (\d+) drawn judgments no interval",
    "docs/methods/sceptics.md": r"Below (\d+) sampled judgments \(700 with `design=`\) no interval",
    "docs/methods/few.md": r"Below (\d+) sampled judgments, with shrink=true, .* no interval",
}


@pytest.mark.parametrize("page", FEWEST)
def test_pages_say_from_how_many_drawn_pairs_on_an_interval_is_offered(page: str) -> None:
    text = " ".join((ROOT / page).read_text().split())
    assert re.findall(FEWEST[page], text) == [str(FEWEST_DRAWN)]


def test_pages_say_the_same_of_batches_and_the_docstring_of_both() -> None:
    text = (ROOT / "docs/methods/sceptics.md").read_text()
    assert re.findall(r"\((\d+) with `design=`\)", text) == [str(FEWEST_BY_BATCHES)]
    assert f"Below {FEWEST_DRAWN} sampled judgments" in " ".join(
        (ModelAssisted.__doc__ or "").split()
    )


def test_what_sceptics_read_was_measured_is_what_the_table_has() -> None:
    # Rows of "With labels": judge, judgments, method, rmse, share that holds, rmse of scores, tau.
    page = " ".join((ROOT / "docs/methods/sceptics.md").read_text().split())
    table = (ROOT / "docs/methods/few.md").read_text()
    table = table[table.index("| judge | by people |") : table.index("## How far the errors hold")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    rows = [row for row in cells if len(row) == 7]
    hold = [float(row[4]) for row in rows if re.fullmatch(r"\.\d+", row[4])]
    assert f"held in {100 * min(hold):.1f} to {100 * max(hold):.1f}% of 200 draws" in page
    gpt, llama = (row for row in rows if "LabelsAsJudgments" in row[2])
    told = f"with tau {float(gpt[6]):.2f}, and put their scores {float(gpt[5]):.2f} off, Llama's "
    assert (told + f"{float(llama[5]):.2f}").replace(" 0.", " .") in page
