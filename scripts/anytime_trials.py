"""Coverage, widths and stops of anytime-valid intervals, on three collections.

python -m scripts.anytime_trials widths COLLECTION [--draws 100] [--labels FILE]
python -m scripts.anytime_trials stress [--draws 400]
python -m scripts.anytime_trials stops COLLECTION [--draws 25]
python -m scripts.anytime_trials page

Each part appends rows to docs/results/anytime.csv, and `page` writes docs/results/anytime.md from
them. widths: WeightedSample pools of n judgments in batches, a look after every batch; differences
among the 20 best runs and scores of all runs; beside the intervals by the central limit theorem
(CLT) of ModelAssisted at the last batch. stress: made-up collections with bad predictions and
probabilities that follow gains, a look after every batch. stops: the order SampledBatches with the
stop NonInferior for pairs of runs whose true difference lies within .005 of a target. Pairs that
nobody judged count as not relevant.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from scipy.sparse import csr_array

import leadline
from leadline.completions.anytime import (
    AnytimeScores,
    ErrorScale,
    IntervalBets,
    SampledBatch,
    WealthProcess,
    anytime_scores,
    record_batches,
)
from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import assisted
from leadline.data.arrays import Floats
from leadline.data.judgments import Judgments
from leadline.data.mean_estimate import NORMAL_95
from leadline.judging.two_runs import Decision, SampledBatches, TwoRunSample
from leadline.judging.weighted_sample import WeightedSample, chances
from leadline.measures.measure import parse_numerator

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
MEASURES = {
    "trec_dl21_half": "SDCG(gains=linear, max_grade=3)@10",
    "robust2004_pooled42": "RBP(p=0.8)",
    "trec8_adhoc": "RBP(p=0.8)@10",
}
SIZES = (200, 100, 400, 800, 50, 1600)
N_BEST, SEED = 20, 1
COLUMNS = ("part", "collection", "case", "n", "what", "figure", "value")
Row = tuple[str, str, str, int, str, str, float]


class Truth:
    """A collection whose judgments are the truth; what was not judged is not relevant."""

    def __init__(self, folder: str, labels: str | None = None) -> None:
        self.name = Path(folder).name
        collection = leadline.read(folder, labels=labels)
        self.runs, self.measure = collection.runs, parse_numerator(MEASURES[self.name])
        known = collection.judgments
        every = np.ones(len(known.judged), np.bool_)
        grade = np.where(known.judged, known.grade, 0)
        self.judgments = Judgments(known.pairs, every, grade, max_grade=known.max_grade)
        self.weights = PairWeights.of(self.runs, self.measure)
        self.gain = self.measure.gain(known.max_grade)[grade[self.weights.pair]]
        self.score = self.weights.scores(self.gain)
        best = np.argsort(-self.score, kind="stable")[:N_BEST]
        one, other = np.triu_indices(len(best), 1)
        self.first, self.second = best[one], best[other]
        self.difference = self.score[self.first] - self.score[self.second]


def n_batches(n: int) -> int:
    """Return how many batches n judgments take: of 20 judgments each, but 5 to 20 batches."""
    return int(np.clip(n // 20, 5, 20))


def widths(truth: Truth, draws: int, case: str) -> Iterator[Row]:
    """Yield coverage at all looks together and at the last, and median half-widths."""
    contrasts = {
        "differences": (truth.first, truth.second, truth.difference),
        "scores": (np.arange(len(truth.score)), None, truth.score),
    }
    for n in SIZES if case == "ranks" else SIZES[:1]:
        design = WeightedSample(n, str(truth.measure), batches=n_batches(n))
        figures: dict[tuple[str, str], list[float]] = {}
        for seed in range(draws):
            drawn = design.all_batches(truth.weights, seed, truth.judgments)
            record = drawn.record(truth.weights, n)
            assert record is not None
            scores = anytime_scores(truth.weights, truth.measure, truth.judgments, record)
            sample = design.sample(truth.weights, truth.judgments, drawn, seed)
            mean = assisted(truth.weights, sample)
            for what, (first, second, value) in contrasts.items():
                ever, half, certain = _course(scores, first, second, value)
                if second is None:
                    error, margin = np.abs(mean.value - value), mean.margin()
                else:
                    error = np.abs(mean.value[first] - mean.value[second] - value)
                    margin = mean.difference_margin()[first, second]
                clt = margin >= error
                for figure, number in (
                    ("anytime_coverage", 1 - ever.mean()),
                    ("clt_coverage", clt.mean()),
                    ("anytime_half_width", np.median(half)),
                    ("clt_half_width", np.median(margin)),
                    ("certain_half_width", np.median(certain)),
                ):
                    figures.setdefault((what, figure), []).append(float(number))
        for (what, figure), values in figures.items():
            middle = np.mean if "coverage" in figure else np.median
            yield "widths", truth.name, case, n, what, figure, float(middle(values))


def _course(
    scores: AnytimeScores, first: Floats, second: Floats | None, value: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return whether a truth was ever outside, and half-widths after the last batch."""
    matrix, below, above = scores.contrasts(first, second)  # type: ignore[arg-type]
    record = scores.record
    wealth = WealthProcess(
        matrix,
        IntervalBets(),
        record.planned,
        np.ones(len(record.pair), np.bool_),
        scores.scale,
    )
    ever = np.zeros(len(value), np.bool_)
    # The truth is outside where it is refuted: cheaper than both ends after every batch.
    for batch in record_batches(record, scores.low, scores.high):
        wealth.add(batch)
        for side, end in enumerate((value - below, value - above)):
            ever |= wealth.log_wealth_at(side, end) >= np.log(2 / scores.alpha)
    lower, upper = wealth.interval()
    least, most = wealth.bounds()
    return ever, (upper + above - lower - below) / 2, (most + above - least - below) / 2


STRESSES = (
    "good predictions",
    "constant predictions",
    "predictions 1 - gain",
    "5% relevant, prediction 0.01",
    "probabilities follow gains",
)


def stress(draws: int) -> Iterator[Row]:
    """Yield how often a truth is ever outside, looked at after each of 25 batches."""
    for case in STRESSES:
        random = np.random.default_rng(STRESSES.index(case))
        outcomes = np.array([_stressed(case, random) for _ in range(draws)])
        for figure, share in zip(("anytime", "clt"), outcomes.mean(axis=0), strict=True):
            yield "stress", "simulated", case, draws, "differences", figure, float(share)


def _stressed(case: str, random: np.random.Generator) -> tuple[bool, bool]:
    n_pairs = 150
    weight = random.normal(0, 1, n_pairs) * random.gamma(0.5, 1, n_pairs)
    weight /= np.abs(weight).sum()
    gain = (random.random(n_pairs) < (0.05 if case.startswith("5%") else 0.4)).astype(np.float64)
    prediction = {
        "good predictions": 0.8 * gain + 0.1,
        "predictions 1 - gain": 1 - gain,
        "5% relevant, prediction 0.01": np.full(n_pairs, 0.01),
    }.get(case, np.full(n_pairs, 0.5))
    truth = float(weight @ gain)
    every = np.ones(n_pairs, np.bool_)
    wealth = WealthProcess(csr_array(weight[None]), IntervalBets(), 150, every)
    open_, ever, ever_clt, squared = every.copy(), False, False, 0.0
    for number in range(25):
        size = np.abs(weight) + 0.1 / n_pairs
        if case == "probabilities follow gains" and not open_.all():
            towards = weight * (2 * gain[~open_].mean() - 1) > 0
            size = size * np.where(towards, 4.0, 0.3) * (1 + random.random(n_pairs))
        probability = np.where(open_, chances(size, open_, 6, 0.0), 0.0)
        drawn = open_ & (random.random(n_pairs) < probability)
        clipped = np.clip(prediction, 0.01, 0.99)
        before = wealth.precision.copy()
        wealth.add(SampledBatch(open_, clipped, probability, drawn, gain, gain))
        share = wealth.precision - before
        error = (weight * (gain - clipped) / np.where(drawn, probability, 1.0))[drawn]
        squared += float((error**2 * (1 - probability[drawn])).sum() * share[0] ** 2)
        lower, upper = wealth.interval()
        ever |= bool(lower[0] > truth + 1e-9 or upper[0] < truth - 1e-9)
        margin = NORMAL_95 * np.sqrt(squared) / wealth.precision[0]
        ever_clt |= number > 3 and bool(abs(wealth.estimate()[0] - truth) > margin + 1e-12)
        open_ = open_ & ~drawn
        if open_.sum() < 2:
            break
    return ever, ever_clt


TARGETS = (0.0, 0.02, 0.05, 0.1)
WITHIN, MARGIN, ALPHA, MOST_PAIRS = 0.005, 0.01, 0.05, 50


def stops(truth: Truth, draws: int) -> Iterator[Row]:
    """Yield judgments until one of two runs is decided, and how often that is false."""
    score, names = truth.score, truth.runs.names
    one, other = np.triu_indices(len(score), 1)
    ahead = score[one] >= score[other]
    first, second = np.where(ahead, one, other), np.where(ahead, other, one)
    for target in TARGETS:
        near = np.abs(score[first] - score[second] - target) <= WITHIN
        apart = np.array([_apart(truth, a, b) for a, b in zip(first, second, strict=True)])
        some = np.flatnonzero(near & apart)
        random = np.random.default_rng([SEED, round(100 * target)])
        chosen = random.permutation(some)[:draws]
        figures: dict[str, list[float]] = {}
        for number, at in enumerate(chosen.tolist()):
            # Either may be named first.
            a, b = (first[at], second[at]) if number % 2 else (second[at], first[at])
            for figure, value in _stopped(truth, names[a], names[b], number).items():
                figures.setdefault(figure, []).append(value)
        case = f"{target:g}"
        for figure, values in figures.items():
            value = sum(values) if figure.endswith("false") else float(np.median(values))
            yield "stops", truth.name, case, len(chosen), "judgments", figure, float(value)


def _apart(truth: Truth, a: int, b: int) -> bool:
    """Return whether two runs have different lists where the measure looks."""
    return bool(abs(truth.weights.matrix[[a]] - truth.weights.matrix[[b]]).sum() > 1e-9)


def _stopped(truth: Truth, a: str, b: str, seed: int) -> dict[str, float]:
    """Return judgments and false decisions of three rules on one course of batches."""
    order = SampledBatches(f"{a},{b}", str(truth.measure), seed=seed)
    stepper = order.start(truth.runs)
    sample = stepper.two_runs
    assert sample is not None
    names = truth.runs.names
    value = truth.score[names.index(a)] - truth.score[names.index(b)]
    gone = {"anytime": 0.0, "clt": 0.0, "certain": 0.0}
    figures: dict[str, float] = {}
    while len(gone) > len(figures) // 2:
        choices = stepper.next(1000)
        for choice in choices:
            stepper.tell(choice.pair, int(truth.judgments.grade[choice.pair]))
        wealth = sample.wealth(MARGIN)
        low, high = wealth.bounds()
        margin = NORMAL_95 * _clt_error(sample)
        estimate = float(wealth.estimate()[0]) + sample.centre
        said = {
            "anytime": sample.decision(MARGIN, ALPHA),
            "clt": _side(estimate - margin, estimate + margin) if sample.n_complete > 4 else None,
            "certain": _side(float(low[0]) + sample.centre, float(high[0]) + sample.centre),
        }
        if not choices:
            said = {name: said[name] or "both" for name in said}
        for name, decision in said.items():
            if decision is not None and name not in figures:
                wrong = {"a": value < -MARGIN, "b": value > MARGIN, "both": abs(value) > MARGIN}
                figures[name] = float(sample.n_judged)
                figures[f"{name}_false"] = float(wrong[decision])
    return figures


def _side(lower: float, upper: float) -> Decision | None:
    shown = lower > -MARGIN, upper < MARGIN
    return "both" if all(shown) else "a" if shown[0] else "b" if shown[1] else None


def _clt_error(sample: TwoRunSample) -> float:
    """Return the standard error of the estimate by all batches, each by its drawn pairs."""
    total, precision, scale = 0.0, 0.0, ErrorScale()
    for batch in record_batches(sample.record, sample.low, sample.high):
        pi = np.where(batch.open_, batch.probability, 1.0)
        spread = (sample.weight * scale.deviation(batch.prediction)) ** 2
        variance = float((spread * (1 - pi) / pi).sum()) + 1e-12
        error = sample.weight * (batch.low - batch.prediction) / pi
        total += float((error**2 * (1 - pi))[batch.drawn].sum()) / variance**2
        precision += 1 / variance
        scale.add(batch)
    return float(np.sqrt(total)) / precision if precision else float("inf")


def main() -> None:
    """Run a part and keep its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("widths", "stress", "stops", "page"))
    parser.add_argument("collection", nargs="?")
    parser.add_argument("--draws", type=int)
    parser.add_argument("--labels")
    args = parser.parse_args()
    if args.part == "widths":
        case = "ranks" if args.labels is None else Path(args.labels).stem.split(".")[0]
        save(widths(Truth(args.collection, args.labels), args.draws or 100, case))
    elif args.part == "stress":
        save(stress(args.draws or 400))
    elif args.part == "stops":
        save(stops(Truth(args.collection), args.draws or MOST_PAIRS))
    else:
        (RESULTS / "anytime.md").write_text(page(pl.read_csv(RESULTS / "anytime.csv")))


HEAD = """\
# Anytime-valid intervals: measured

Written by `python -m scripts.anytime_trials page` from [anytime.csv](anytime.csv), which the other
parts of that command write. 100 draws of `WeightedSample` pools for each cell of the first two
tables; unjudged pairs count as not relevant. [The theorem](../methods/anytime.md#the-theorem) says
which choices were made on which collection; coverage does not depend on them.
"""


def page(table: pl.DataFrame) -> str:
    """Return the page with all tables."""
    parts = [HEAD]
    for what in ("differences", "scores"):
        parts.append(_widths_table(table.filter(part="widths", what=what), what))
    parts += [_stress_table(table.filter(part="stress")), _stops_table(table.filter(part="stops"))]
    return "\n".join(parts)


def _figures(table: pl.DataFrame) -> dict[tuple[str, str, int], dict[str, float]]:
    """Return the figures of each collection, case and n."""
    cells: dict[tuple[str, str, int], dict[str, float]] = {}
    for row in table.iter_rows(named=True):
        key = row["collection"], str(row["case"]), row["n"]
        cells.setdefault(key, {})[row["figure"]] = row["value"]
    return cells


def _widths_table(table: pl.DataFrame, what: str) -> str:
    of = "Differences among the 20 best runs" if what == "differences" else "Scores of all runs"
    lines = [
        f"\n## {of}\n",
        "Coverage of the anytime-valid interval is at all looks of a course together, one after",
        "every batch; that of CLT at the last look alone. Half-widths are medians.\n",
        "| collection | predictions | n | anytime half-width | CLT | ratio | bounds "
        "| anytime coverage | CLT coverage |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    order = sorted(
        _figures(table).items(),
        key=lambda each: (list(MEASURES).index(each[0][0]), each[0][1] != "ranks", each[0][2]),
    )
    for (collection, case, n), cell in order:
        wide, clt = cell["anytime_half_width"], cell["clt_half_width"]
        # Where all is judged there is nothing to divide by.
        ratio = f"{wide / clt:.2f}" if clt > 5e-4 else "-"
        lines.append(
            f"| {collection} | {case} | {n:,} | {wide:.3f} | {clt:.3f} | {ratio} "
            f"| {cell['certain_half_width']:.3f} | {cell['anytime_coverage']:.3f} "
            f"| {cell['clt_coverage']:.3f} |"
        )
    return "\n".join(lines) + "\n"


def _stress_table(table: pl.DataFrame) -> str:
    lines = [
        "\n## Bad predictions and probabilities\n",
        "Share of 400 simulated courses of 25 batches in which the truth is ever outside the",
        "interval, looked at after every batch.\n",
        "| case | anytime | CLT |",
        "|---|---|---|",
    ]
    for (_, case, _), cell in _figures(table).items():
        lines.append(f"| {case} | {cell['anytime']:.4f} | {cell['clt']:.4f} |")
    return "\n".join(lines) + "\n"


def _stops_table(table: pl.DataFrame) -> str:
    lines = [
        "\n## Two runs, margin 0.01, batches of 20\n",
        "Median judgments until one run is shown not to be worse than the other by more than the",
        "margin; false decisions in brackets. CLT is looked at after every batch from the fifth;",
        "bounds decide when no completion of the judgments can change it.\n",
        "| collection | true difference | pairs of runs | anytime | CLT with peeking | bounds |",
        "|---|---|---|---|---|---|",
    ]
    order = sorted(
        _figures(table).items(),
        key=lambda each: (list(MEASURES).index(each[0][0]), float(each[0][1])),
    )
    for (collection, case, n), cell in order:
        shown = [
            f"{cell[name]:.0f} ({cell[f'{name}_false']:.0f})"
            for name in ("anytime", "clt", "certain")
        ]
        lines.append(f"| {collection} | {float(case):g} | {n} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def save(rows: Iterator[Row]) -> None:
    """Write rows to the table as they come; rows of the same cell are replaced."""
    path = RESULTS / "anytime.csv"
    for row in rows:
        new = pl.DataFrame([row], schema=COLUMNS, orient="row")
        if path.exists():
            keys = COLUMNS[:-1]
            old = pl.read_csv(path, schema_overrides=new.schema)
            new = pl.concat([old.join(new, on=keys, how="anti"), new])
        new.sort(COLUMNS[:-1]).write_csv(path)


if __name__ == "__main__":
    main()
