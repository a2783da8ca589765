"""Error rates of the gate: random pairs of runs, the group of the new run unpooled."""

import numpy as np
import pytest

import leadline
from leadline.measures.measure import parse_measure
from scripts.gate_trials import CLEAR, WAYS, Trial, counts, table, trials
from tests.shared_data.where import collection

NDCG = parse_measure("nDCG@10")


def wrong(done: list[Trial], verdict: str) -> float:
    said = [each for each in done if each.said["gate"] == verdict]
    return sum(each.wrong("gate") for each in said) / max(1, len(said))


def test_a_few_trials_in_short() -> None:
    done = trials(leadline.read(collection("robust2004_pooled42"), depth=30), NDCG, 10, 8)
    assert sum(each.wrong("gate") for each in done) <= 1
    # The model comes nearer to what all judgments say than counting unjudged as non-relevant.
    off = np.array([each.expected - each.same_topics for each in done])
    plain = np.array([each.judged - each.same_topics for each in done])
    assert (off**2).mean() < (plain**2).mean()
    rows = counts(done, "robust2004_pooled42", 10)
    assert rows["way"].to_list() == list(WAYS)
    verdicts = rows.select("worse", "not_worse", "undecided").sum_horizontal()
    assert verdicts.to_list() == [len(done)] * len(WAYS)
    assert [line.split(" | ")[2] for line in table(rows)[2:]] == list(WAYS)


@pytest.mark.slow
@pytest.mark.parametrize("judge", ["umbrela-gpt4", "binary-llama3.2"])
def test_verdicts_with_labels_are_right(judge: str) -> None:
    folder = collection("trec_dl21_half")
    labels = folder / "judges" / f"{judge}.qrels.gz"
    done = trials(leadline.read(folder, depth=100, labels=labels), NDCG, 5, 200)
    assert wrong(done, "worse") <= 0.05
    assert wrong(done, "not_worse") <= 0.05
    assert np.mean([each.above_least for each in done]) >= 0.95
    assert np.mean([each.below_most for each in done]) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trec8_adhoc", "robust2004_pooled42"])
@pytest.mark.parametrize("depth", [5, 10])
def test_verdicts_are_right_and_clear_differences_decided(name: str, depth: int) -> None:
    done = trials(leadline.read(collection(name), depth=100), NDCG, depth, 200)
    assert wrong(done, "worse") <= 0.05
    assert wrong(done, "not_worse") <= 0.05
    assert np.mean([each.above_least for each in done]) >= 0.95
    assert np.mean([each.below_most for each in done]) >= 0.95
    clear = [each.said["gate"] != "undecided" for each in done if abs(each.truth) > CLEAR]
    assert depth < 10 or np.mean(clear) >= 0.5
