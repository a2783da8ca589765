"""A few human judgments beside a noisy judge's labels, method by method: errors and orders.

    python -m scripts.label_trials [--budgets 200 400 800] [--draws 200] [--judges NAME...]
                                   [--methods NAME...]

TREC DL 2021 (trec_dl21_half), which has two language models' labels. A pair that people did not
judge answers 0 and costs a judgment. Root mean square error of differences among the 20 best runs
and of all scores, the share of 95% intervals that hold, and Kendall's tau of all runs. Methods that
have no intervals have none in the table. The collection lies beside the project's folder, or in
LEADLINE_DATA; the designs were developed on it without labels.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from leadline.completions.baselines import OneShot
from leadline.completions.estimator import Estimator, TrainingData
from leadline.data.arrays import Bools, Floats
from leadline.data.draw import draw_pairs
from leadline.data.mean_estimate import MeanEstimate
from leadline.io.documents import documents_in
from leadline.io.problems import Notices
from leadline.lab.benchmark.entrants.methods import DoubtfulLabels, LabelsAlone
from leadline.lab.benchmark.entrants.pools import TopicsInFull
from leadline.lab.benchmark.question import Entrant, Question
from leadline.measures.measure import Weighted, parse_measure
from leadline.measures.texts import Reader, Tokeniser
from scripts.budget_trials import Answer, Outcome, Task, designed

NAME = "trec_dl21_half"
MEASURE = "SDCG(gains=linear)@10"
JUDGES = ("umbrela-gpt4", "binary-llama3.2")
BUDGETS = (200, 400, 800)
Told = Iterator[tuple[str, Answer]]


def without_error(n: int, value: Floats) -> Answer:
    """Scores that nobody says the error of."""
    return n, MeanEstimate(value, np.full((len(value),) * 2, np.nan))


def by_estimator(task: Task, judged: Bools, estimator: Estimator, words: object = None) -> Floats:
    """Mean scores that an estimator makes of some of the judgments."""
    judgments = task.answers.only(judged)
    evidence = TrainingData(task.measure, task.runs, judgments, words=words)  # type: ignore[arg-type]
    return estimator.gains(evidence).scores(str(estimator)).mean()


def asked(*several: Entrant) -> "Callable[[Task, int, int], Told]":
    """What entrants of the benchmark say, which know no error.

    A draw whose budget does not pay for what the entrant must judge at least is left out.
    """

    def method(task: Task, n: int, seed: int) -> Told:
        for entrant in several:
            question = Question(task.measure, task.runs, task.answers, n, seed)
            with suppress(ValueError):
                value = entrant.answer(question).value
                yield entrant.title, without_error(question.judgments, value)

    return method


def one_shot(task: Task, n: int, seed: int) -> Told:
    """One relevant document of each topic is known, and nothing else."""
    pair = np.flatnonzero(task.answers.grade == task.answers.max_grade)
    luck = draw_pairs(seed, task.runs.pairs, pair)
    topic = task.runs.pairs.topic[pair]
    order = np.lexsort((luck, topic))
    first = np.unique(topic[order], return_index=True)[1]
    known = np.zeros(len(task.runs.pairs), np.bool_)
    known[pair[order][first]] = True
    words = _words(task)
    value = by_estimator(task, known, OneShot(), words)
    yield "one-shot labels", without_error(int(known.sum()), value)


_read: dict[int, object] = {}


def _words(task: Task) -> object:
    if id(task) not in _read:
        source = documents_in(beside() / NAME)
        assert source is not None
        reader = Reader(source)
        _read[id(task)] = reader.words(task.runs.pairs.docs, Tokeniser(), Notices())
    return _read[id(task)]


METHODS: dict[str, Callable[[Task, int, int], Told]] = {
    "designed": designed,
    "lara": asked(DoubtfulLabels()),
    "judge_alone": asked(LabelsAlone()),
    "one_shot": one_shot,
    "whole_topics": asked(*TopicsInFull.variants()),
}

HEAD = (
    "| method | judgments by people | rmse of differences | hold | rmse of scores | hold | tau | "
    "draws |\n" + "|---" * 8 + "|"
)


def row(name: str, outcomes: list[Outcome]) -> str:
    """A line of the table."""

    def mean(what: str) -> float:
        return float(np.mean([getattr(outcome, what) for outcome in outcomes]))

    def held(what: str) -> str:
        share = mean(what)
        return "" if np.isnan(share) else f"{100 * share:.1f}"

    return (
        f"| {name} | {mean('judgments'):.0f} | {mean('difference_square') ** 0.5:.4f} | "
        f"{held('difference_held')} | {mean('score_square') ** 0.5:.4f} | {held('score_held')} | "
        f"{mean('tau'):.3f} | {len(outcomes)} |"
    )


def trials(task: Task, method: str, n: int, draws: int) -> dict[str, list[Outcome]]:
    """What each draw of a method at a budget came to, by the name of what it says."""
    truth = task.truth
    outcomes: dict[str, list[Outcome]] = {}
    for seed in range(1 if method == "judge_alone" else draws):
        for name, answer in METHODS[method](task, n, seed):
            outcomes.setdefault(name, []).append(Outcome.of(answer, truth))
    return outcomes


def beside() -> Path:
    """Where collections lie."""
    return Path(os.environ.get("LEADLINE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def task_of(judge: str) -> Task:
    """The collection with a judge's labels."""
    measure = parse_measure(MEASURE)
    assert isinstance(measure, Weighted)
    folder = beside() / NAME
    return Task.of(folder, measure, [str(folder / "judges" / f"{judge}.qrels.gz")])


def main() -> None:
    """Print a table for each judge and budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budgets", nargs="+", type=int, default=BUDGETS)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--judges", nargs="+", default=JUDGES)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    asked = parser.parse_args()
    for judge in asked.judges:
        task = task_of(judge)
        for n in asked.budgets:
            print(f"\n{judge}, {n} of {len(task.weights.pair)} pairs\n\n{HEAD}")
            for method in asked.methods:
                for name, some in trials(task, method, n, asked.draws).items():
                    print(row(name, some), flush=True)


if __name__ == "__main__":
    main()
