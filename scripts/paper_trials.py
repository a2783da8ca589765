"""Measure steps beyond the five papers, each beside the method that it would replace.

    python -m scripts.paper_trials QUESTION...

writes docs/results/trials-QUESTION.md and .csv. Parameters were chosen on one collection, which the
table names; the others were looked at once.
"""

import argparse
import csv
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

import leadline
from leadline.data.arrays import Floats
from leadline.io.collection import Collection

RESULTS = Path(__file__).parents[1] / "docs" / "results"
COLLECTIONS = ("trec8_adhoc", "robust2004_pooled42", "trec_covid_round1", "trec_dl21_half")
PARTS = 5

Row = dict[str, object]


def data_folder() -> Path:
    """Return where the shared collections lie."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("LEADLINE_DATA", beside))


def parts_of(collection: Collection, n: int = PARTS) -> Iterator[Collection]:
    """Yield the collection on n sets of topics that have none in common."""
    topics = np.array(collection.runs.pairs.topics)
    for part in np.array_split(np.random.default_rng(0).permutation(topics), n):
        yield collection.on(part.tolist())


def interval(values: Sequence[float] | Floats) -> tuple[float, float, float]:
    """Return mean and ends of Student's 95% interval."""
    array = np.asarray(values, np.float64)
    array = array[~np.isnan(array)]
    if len(array) < 2:
        nothing = float("nan")
        return (float(array.mean()) if len(array) else nothing), nothing, nothing
    reach = stats.t.ppf(0.975, len(array) - 1) * array.std(ddof=1) / len(array) ** 0.5
    return float(array.mean()), float(array.mean() - reach), float(array.mean() + reach)


def log(text: str) -> None:
    """Say on standard error how far it is."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Trial:
    """A question, what its page says above the table, and what measures it."""

    title: str
    about: str
    measure: Callable[[], list[Row]]

    def write(self, name: str) -> None:
        """Measure, and write csv and page."""
        rows = self.measure()
        columns = list(dict.fromkeys(key for row in rows for key in row))
        with (RESULTS / f"trials-{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: _exact(value) for key, value in row.items()} for row in rows)
        lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
        lines += [f"| {' | '.join(_shown(row.get(key)) for key in columns)} |" for row in rows]
        head = f"# {self.title}\n\nWritten by `python -m scripts.paper_trials {name}`.\n\n"
        page = head + self.about.strip() + "\n\n" + "\n".join(lines) + "\n"
        (RESULTS / f"trials-{name}.md").write_text(page, encoding="utf-8")


def _exact(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value


def _shown(value: object) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 10 else f"{value:.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def projected() -> list[Row]:
    """Compare MoffatC with ProjectedC."""
    from leadline.judging.by_weight import MoffatC, ProjectedC
    from leadline.lab.papers.moffat07_plan import BeforeJudging, PassSetup, Trail, handled
    from leadline.measures.rbp import RBP

    rbp, per_topic = RBP(p=0.8), (20, 40, 100)
    orders = {"MoffatC": MoffatC(p=0.8), "ProjectedC": ProjectedC(p=0.8)}

    def played(collection: Collection) -> dict[str, list[float]]:
        runs = collection.runs
        on = PassSetup(runs, collection.judgments, False, np.arange(len(runs.names)), ())
        truth = rbp.score(on.lists()).mean()
        top = np.argsort(-truth, kind="stable")[:10]
        before, n_topics = BeforeJudging(runs, rbp), len(runs.pairs.topics)
        found = {}
        for name, order in orders.items():
            pairs = handled(order, on, 400 * n_topics, "nonrelevant")
            gain = (on.judgments.grade[pairs] >= 1).astype(np.float64)
            trail = Trail(before, pairs, gain)
            cuts = [min(n * n_topics, len(pairs)) for n in per_topic]
            until = trail.judgments_until(1, True)
            found[name] = [float(trail.residual[cut][top].mean()) for cut in cuts]
            found[name] += [float(gain[:cut].sum()) for cut in cuts]
            found[name].append(float("nan") if until is None else float(until))
        return found

    names = [f"residual of the ten best, {n} judgments a topic" for n in per_topic]
    names += [f"relevant found, {n} judgments a topic" for n in per_topic]
    names.append("judgments until the best run is certain")
    rows: list[Row] = []
    for name in COLLECTIONS:
        log(name)
        collection = leadline.read(data_folder() / name)
        whole = played(collection)
        parts = [played(part) for part in parts_of(collection)]
        for at, what in enumerate(names):
            ratios = [part["ProjectedC"][at] / part["MoffatC"][at] for part in parts]
            mean, low, high = interval(ratios)
            rows.append(
                {
                    "collection": name,
                    "quantity": what,
                    "MoffatC": whole["MoffatC"][at],
                    "ProjectedC": whole["ProjectedC"][at],
                    "ratio on parts": mean,
                    "lower": low,
                    "upper": high,
                }
            )
    return rows


TRIALS = {
    "projected": Trial(
        "Method C by projected scores",
        """
`ProjectedC` weighs by the sixth power of the projected score, with a floor for contenders, where
`MoffatC` weighs by the cube of the midpoint. Power, prior and floor were chosen on trec8_adhoc.
RBP(p=0.8), all runs; documents without judgment count as non-relevant. The last three columns: the
ratio of ProjectedC to MoffatC on five sets of topics that have none in common, its mean and
Student's 95% interval. Below 1 is better for residuals and judgments, above 1 for documents. Empty:
not reached within 400 judgments a topic.
""",
        projected,
    ),
}


def main() -> None:
    """Answer the questions that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="+", choices=sorted(TRIALS))
    for name in parser.parse_args().question:
        TRIALS[name].write(name)


if __name__ == "__main__":
    main()
