"""Our scores are those that trec_eval's own test expects of it."""

from pathlib import Path

import pytest

import leadline
from leadline.api.evaluate import Evaluation
from leadline.measures.names import expanded
from tests.shared_data.where import collection

# Of its measures we have no counterpart to these.
OTHERS = ("runid", "gm_bpref", "Rprec_mult", "binG", "G", "ndcg_rel", "Rndcg", "relative_P")
OTHERS += ("set_relative_P", "rbp", "relstring")


@pytest.fixture(scope="module")
def folder() -> Path:
    return collection("trec_eval_tests")


def printed(file: Path) -> dict[tuple[str, str], str]:
    """Its value by measure and topic."""
    lines = [line.split() for line in file.read_text().splitlines()]
    return {(name, topic): value for name, topic, value in lines if not name.startswith(OTHERS)}


def evaluated(folder: Path, names: str | list[str], per_topic: bool = True) -> Evaluation:
    """These files are of trec_eval 10, which compares scores as doubles."""
    runs = {"STANDARD": folder / "results.test"}
    return leadline.evaluate(
        folder / "qrels.test", runs, names, per_topic=per_topic, ranks="score64"
    )


def told(result: Evaluation) -> dict[tuple[str, str], str]:
    """Our value by measure and topic."""
    lines = [line.split() for line in result.encoded("trec_eval").decode().splitlines()]
    return {(name, topic): value for name, topic, value in lines if name != "runid"}


def test_all_measures_on_every_topic_and_over_all(folder: Path) -> None:
    expected = printed(folder / "out.test.aq")
    found = told(evaluated(folder, "all_trec"))
    # num_q and gm_map are told over all topics only.
    n = len(expanded("all_trec"))
    assert found.keys() == expected.keys()
    assert len(expected) == 3 * (n - 2) + n
    others = {key for key in found if found[key] != expected[key]}
    assert {name for name, _ in others} == {"11pt_avg"} | {
        f"iprec_at_recall_{level}" for level in ("0.10", "0.60")
    }


def test_trec_eval_10_rounds_levels_of_recall_to_the_nearest_document(folder: Path) -> None:
    expected = printed(folder / "out.test.aq")
    levels = [f"{level / 10:.2f}" for level in range(11)]
    names = [f"IPrec(recall={level}, rounding=nearest)" for level in levels]
    scores = evaluated(folder, [*names, "InterpolatedAP(rounding=nearest)"]).scores
    theirs = [*(f"iprec_at_recall_{level}" for level in levels), "11pt_avg"]
    for name, ours in zip(theirs, scores.values(), strict=True):
        for topic, value in zip(ours.topics, ours.value[0], strict=True):
            assert f"{value:.4f}" == expected[name, topic]
        assert f"{ours.mean()[0]:.4f}" == expected[name, "all"]


def test_the_official_set_is_printed_as_trec_eval_prints_it(folder: Path) -> None:
    ours = evaluated(folder, "official", per_topic=False)
    printed = ours.encoded("trec_eval").decode().splitlines()
    expected = (folder / "out.test").read_text().splitlines()
    differ = [a for a, b in zip(printed, expected, strict=True) if a != b]
    assert [line.split()[0] for line in differ] == ["iprec_at_recall_0.10", "iprec_at_recall_0.60"]


def test_parameters_of_measures(folder: Path) -> None:
    expected = printed(folder / "out.test.meas_params")
    asked = "iprec_at_recall.0.20,0.50,0.75 P.3,5,7 recall.20,2000 utility.2,-1,0,0"
    found = told(evaluated(folder, f"{asked} ndcg_cut.10,20,23 success.2,5,20".split()))
    assert len(found) == 4 * 15
    for (name, topic), value in found.items():
        theirs = name.replace("Utility(a=2.0)", "utility_2,-1,0,0")
        assert expected[theirs, topic] == value, (name, topic)
