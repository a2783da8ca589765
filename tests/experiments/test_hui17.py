"""The experiments of hui17 do what the paper says, on the demo collection."""

from pathlib import Path

import numpy as np
import pytest

from leadline.demo import COLLECTION
from leadline.experiments import hui17
from leadline.experiments.hui17 import cells, forget
from leadline.experiments.hui17_orderings import kendall, places
from leadline.experiments.hui17_plan import CONDENSED, partly, split
from leadline.experiments.hui17_sampling import read_samples, sample
from leadline.experiments.hui17_setup import ESTABLISHED, READING, hui17_setup, means
from leadline.experiments.papers import Setting, files_of
from leadline.experiments.runner import run_cells
from leadline.files.problems import InputError
from leadline.verbs.evaluate import evaluate
from tests.shared_data.where import collection

FOLDER = str(COLLECTION)
COLUMNS = {
    "figure1": "established,method,percent,tau",
    "table1": "judged_on,scored_on,established,measure,tau",
    "table2": "judged_on,scored_on,established,measure,tau",
    "table3": "a,b,tau",
    "table4": "established,measure,tau",
    "figure2": "measure,run,rank_established,rank_measure",
}


@pytest.mark.parametrize("percent", [1, 7, 50, 100])
def test_a_sample_keeps_what_it_should(percent: int) -> None:
    on = hui17_setup(FOLDER)
    kept = sample(on, percent, 3, np.random.default_rng(1))
    for topic in range(len(on.grades.topics)):
        here = on.grades.topic == topic
        relevant, others = here & on.relevant, here & ~on.relevant
        n = max(1, -(-int(relevant.sum()) * percent // 100))
        assert (kept[:, relevant].sum(axis=1) == n).all()
        share = int(others.sum()) * percent / 100
        assert (abs(kept[:, others].sum(axis=1) - share) <= 0.5).all()
    assert percent == 100 or not (kept[0] == kept[1]).all()


def test_all_samples_at_once_are_as_good_as_one_by_one() -> None:
    on = hui17_setup(FOLDER)
    kept = sample(on, 20, 3, np.random.default_rng(2))
    every = (*READING, on.short)
    found = read_samples(FOLDER, kept, every)
    for number, docs in enumerate(kept):
        lists = on.judged_only(docs)
        for each in every:
            assert found[str(each)][number] == pytest.approx(each.score(lists).mean(), abs=1e-12)


def test_with_all_judgments_the_scores_are_those_of_evaluate() -> None:
    on = hui17_setup(FOLDER)
    names = [str(each) for each in (*ESTABLISHED, *CONDENSED)]
    scores = evaluate(COLLECTION, None, names).scores
    theirs = np.stack([scores[name].mean() for name in names])
    assert means((*ESTABLISHED, *CONDENSED), on.lists) == pytest.approx(theirs, abs=1e-12)


def test_with_all_judgments_raw_lists_order_the_runs_as_the_complete_measure() -> None:
    found = partly(FOLDER, 100, 1, np.random.default_rng(0))
    for established, taus in found.items():
        n_runs = len(hui17_setup(FOLDER).lists.runs)
        assert taus["raw"] > 1 - 4 / n_runs, established


def test_halves_are_apart_and_a_is_all() -> None:
    found = split(FOLDER, np.random.default_rng(0))
    assert len(found) == 9 * 3 * 4
    on = hui17_setup(FOLDER)
    complete = means(ESTABLISHED, on.lists)
    for each in READING:
        tau = kendall(each.score(on.lists).mean(), complete[0])
        assert found[f"A A alpha_nDCG@20 {each}"] == pytest.approx(float(tau))


def test_files_have_the_promised_columns() -> None:
    setting = Setting(FOLDER, quick=True)
    some = [cell for cell in cells(setting) if cell.name in ("split 0", "everything")]
    results = run_cells(some)
    one = partly(FOLDER, 10, 1, np.random.default_rng(0))
    results |= {f"judged {percent}%": one for percent in range(1, 51)}
    texts = files_of(hui17, results, hui17.frames(results, setting), setting)
    assert {name.removesuffix(".csv") for name in texts} == {*COLUMNS, "report.html"}
    for name, columns in COLUMNS.items():
        assert texts[f"{name}.csv"].splitlines()[0] == columns
    assert len(texts["figure1.csv"].splitlines()) == 1 + 3 * 5 * 50
    assert "<svg" in texts["report.html"]
    forget()


def test_tau_counts_ties_as_neither() -> None:
    first = np.array([1.0, 2.0, 3.0, 4.0])
    assert float(kendall(first, np.array([1.0, 1.0, 2.0, 3.0]))) == pytest.approx(5 / 6)
    assert places(np.array([0.5, 0.9, 0.5])) == [2, 1, 3]


def test_a_collection_without_documents_or_subtopics_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text("1 Q0 d 1 1 x\n")
    (tmp_path / "qrels.ndeval.txt").write_text("1 1 d 1\n1 2 d 1\n")
    with pytest.raises(InputError, match="has no documents"):
        hui17_setup(str(tmp_path))
    (tmp_path / "qrels.ndeval.txt").write_text("1 0 d 1\n")
    with pytest.raises(InputError, match="has no subtopics"):
        hui17_setup(str(tmp_path))


def test_tau_on_ambient_is_as_computed_densely() -> None:
    """With tokens [a-z0-9]+, against a literal dense computation, to two decimals.

    ABSrb with ERR_IA is 485/741 = .6545, which was noted there as .66.
    """
    folder = collection("ambient")
    kinds = ("ABSnb", "ABSrb", "DELTAnb", "DELTArb")
    read = [f"{kind}(tokens=ascii)@20" for kind in kinds]
    scores = evaluate(folder, None, ["alpha_nDCG@20", "ERR_IA@20", "NRBP", *read]).scores
    expected = {
        "alpha_nDCG@20": [0.24, 0.62, 0.71, 0.75],
        "ERR_IA@20": [0.30, 0.65, 0.73, 0.78],
        "NRBP": [0.34, 0.50, 0.54, 0.61],
    }
    for name, taus in expected.items():
        found = [kendall(scores[each].mean(), scores[name].mean()) for each in read]
        assert [round(float(tau), 2) for tau in found] == taus
