"""How often the likely winner is right: trials on random halves of runs and topics.

python -m scripts.likely_trials COLLECTION [--trials 50] [--measure NAME] [--share 0.5] [--k 1]
                                [--permuted | --significant | --order NAME | --audit]
                                [--record FILE]

Each trial plays an order to its stop, once for every level, with the collection's own judgments as
answers; pairs that nobody judged count as not relevant. A stop is wrong if another run is better
than a named one by more than `within`. With --permuted the runs are twins: on every topic a coin
decides which of two runs' lists goes under which name, so that nobody is better. With --significant
such twins are judged, heaviest documents first, until LeaderSignificant stops, looked at every 40
judgments: every stop is false. With --order NAME another order judges, and a model of its judgments
is looked at every 40 of them, as the word `likely` is in the judging room. With --audit it is
counted how many of the 95% intervals that the audit gives at the last level's stop hold the truth,
within one Monte Carlo error. Trials that are in the record, a csv file, are not run again.

    python -m scripts.likely_trials --page COLLECTION.csv...

writes docs/results/likely.csv and likely.md from the records of several collections.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

import leadline
from leadline.completions.pair_weights import PairWeights
from leadline.completions.winner import WinnerModel
from leadline.data.arrays import Floats
from leadline.data.mean_estimate import NORMAL_95
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.judging.likely_winner import LikelyWinner
from leadline.judging.order import Order, orders
from leadline.judging.session import Session
from leadline.judging.standings import Standings
from leadline.judging.stops import LeaderSignificant, TopKLikely
from leadline.measures.measure import Weighted

RESULTS = Path(__file__).parents[1] / "docs" / "results"
LEVELS = (0.8, 0.95)
FIRST_LOOK, LOOK_EVERY = 80, 40
WITHIN = 0.01


@dataclass(frozen=True)
class Stopped:
    """After how many judgments, and how far another run is ahead of a named one."""

    level: float
    judgments: int
    behind: float

    @property
    def wrong(self) -> bool:
        """Whether a better run was missed."""
        return self.behind > WITHIN


def part(collection: Collection, share: float, seed: int) -> Collection:
    """A random share of the runs and of the topics."""
    random = np.random.default_rng([7, seed])
    topics = collection.runs.pairs.topics
    n_topics = max(2, round(share * len(topics)))
    kept = random.choice(len(topics), n_topics, replace=False)
    collection = collection.on([topics[at] for at in sorted(kept.tolist())])
    n_runs = max(2, round(share * len(collection.runs.names)))
    chosen = np.sort(random.choice(len(collection.runs.names), n_runs, replace=False))
    return replace(collection, runs=collection.runs.only(chosen))


def twins(collection: Collection, seed: int) -> Collection:
    """Two of the runs, their lists swapped on every topic where a coin says so."""
    random = np.random.default_rng([11, seed])
    runs = collection.runs
    two = runs.only(np.sort(random.choice(len(runs.names), 2, replace=False)))
    n_topics = len(two.pairs.topics)
    swap = random.random(n_topics) < 0.5
    lists = np.split(two.pair, np.cumsum(two.length.ravel())[:-1])
    order = [
        (1 - run if swap[topic] else run) * n_topics + topic
        for run in (0, 1)
        for topic in range(n_topics)
    ]
    length = two.length.ravel()[order].reshape(2, n_topics)
    pair = np.concatenate([lists[at] for at in order])
    return replace(collection, runs=Runs.trusted(two.pairs, two.names, pair, length, two.group))


def truth(collection: Collection, measure: Weighted) -> Floats:
    """The mean scores by all judgments."""
    weights = PairWeights.of(collection.runs, measure)
    table = measure.gain(collection.judgments.max_grade)
    return weights.scores(table[collection.judgments.grade[weights.pair]])


def play(collection: Collection, order: LikelyWinner, k: int = 1) -> Iterator[Stopped]:
    """Judge to the last level's stop; what was named at the stop of each level."""
    score = truth(collection, order.weighted)
    grade = collection.judgments.grade
    session = Session(collection.runs, order)
    waiting = list(LEVELS)
    looked = -1
    while waiting:
        choices = session.ask()
        state = session.standing.likely
        assert state is not None
        if state.posterior is not None and state.n_judged != looked:
            looked = state.n_judged
            for level in list(waiting):
                rule = TopKLikely(k, level, WITHIN)
                if rule.reason(session.standing) is not None:
                    best = state.posterior.best(k)
                    waiting.remove(level)
                    behind = float(score[~best].max(initial=-1.0) - score[best].min())
                    yield Stopped(level, looked, behind)
        if not choices:
            return
        session.tell(choices[0].pair, int(grade[choices[0].pair]))


@dataclass(frozen=True)
class AuditTrial:
    """Coverage of the audit's intervals at a stop: of all runs, and of the leader by the model."""

    n_sampled: int
    held: float
    leader_held: float
    half_width: float
    normal_held: float

    @property
    def offered(self) -> bool:
        """Whether there was an interval."""
        return not np.isnan(self.held)


def audit_trial(collection: Collection, order: LikelyWinner) -> AuditTrial | None:
    """Judge to the last level's stop; None if it comes before the audit's first scores."""
    true, grade = truth(collection, order.weighted), collection.judgments.grade
    session = Session(collection.runs, order, TopKLikely(1, LEVELS[-1], WITHIN))
    while choices := session.ask():
        for choice in choices:
            session.tell(choice.pair, int(grade[choice.pair]))
    state = session.standing.likely
    assert state is not None
    assert state.posterior is not None
    scores = state.audit.scores
    if scores is None:
        return None
    off, margin = np.abs(scores.value - true) - 1e-12, scores.margin()
    if np.isnan(margin).any():
        return AuditTrial(state.audit.n_drawn, np.nan, np.nan, np.nan, np.nan)
    leader = int(state.posterior.mean.argmax())
    return AuditTrial(
        state.audit.n_drawn,
        float((off <= margin).mean()),
        float(off[leader] <= margin[leader]),
        float(margin.mean()),
        float((off <= NORMAL_95 * scores.standard_error).mean()),
    )


def audit_line(played: list[AuditTrial]) -> str:
    """How often the intervals held, and how often they were offered."""
    some = [trial for trial in played if trial.offered]

    def share(name: str) -> str:
        held = np.array([getattr(trial, name) for trial in some])
        return f"{100 * held.mean():.1f} ± {100 * held.std(ddof=1) / len(held) ** 0.5:.1f}%"

    return (
        f"  intervals offered in {len(some)} of {len(played)}; of all runs {share('held')} hold, "
        f"of leaders {share('leader_held')}, at 1.96 errors {share('normal_held')}; half-width "
        f"{np.mean([trial.half_width for trial in some]):.3f}, "
        f"{np.mean([trial.n_sampled for trial in some]):.0f} sampled"
    )


def falsely_significant(two: Collection, measure: Weighted) -> bool:
    """Whether LeaderSignificant tells twins apart at some time until all is judged."""
    weights = PairWeights.of(two.runs, measure)
    standing, rule = Standings(two.runs, measure), LeaderSignificant()
    heaviest = np.argsort(-weights.size(), kind="stable")
    for at, pair in enumerate(weights.pair[heaviest].tolist()):
        if at % LOOK_EVERY == 0 and rule.reason(standing) is not None:
            return True
        standing.tell(pair, int(two.judgments.grade[pair]))
    return rule.reason(standing) is not None


def watch(collection: Collection, order: Order, measure: Weighted) -> Iterator[Stopped]:
    """Judge by an order without a model until one of its judgments calls the best run likely."""
    score, grade = truth(collection, measure), collection.judgments.grade
    session = Session(collection.runs, order)
    model = WinnerModel(collection.runs, measure)
    judged = np.zeros(len(collection.runs.pairs), np.bool_)
    waiting = list(LEVELS)
    while waiting and (choices := session.ask()):
        session.tell(choices[0].pair, int(grade[choices[0].pair]))
        judged[choices[0].pair] = True
        n = len(session.judged)
        if n < FIRST_LOOK or n % LOOK_EVERY:
            continue
        posterior = model.posterior(collection.judgments.only(judged))
        best = posterior.best()
        sure = posterior.confidence(best, WITHIN)
        for level in [each for each in waiting if sure >= each]:
            waiting.remove(level)
            yield Stopped(level, n, float(score.max() - score[best].max()))


def table(stops: list[Stopped]) -> list[str]:
    """A line for each level."""
    lines = []
    for level in LEVELS:
        at = [stop for stop in stops if stop.level == level]
        if at:
            counts = np.array([stop.judgments for stop in at])
            right = 1 - np.mean([stop.wrong for stop in at])
            lines.append(
                f"  level {level}: {len(at)} stops, right {right:.3f}, judgments median "
                f"{np.median(counts):.0f}, mean {counts.mean():.0f}"
            )
    return lines


def page(records: list[Path]) -> None:
    """Write docs/results/likely.csv and likely.md from records, named by their collections."""
    rows = []
    for record in records:
        stops = pl.read_csv(record)
        for level in LEVELS:
            at = stops.filter(pl.col("level") == level)
            right = at.filter(pl.col("behind") <= WITHIN)
            share = len(right) / len(at)
            row = {"collection": record.stem, "trials": len(at), "level": level}
            row |= {"right": share, "monte_carlo_error": (share * (1 - share) / len(at)) ** 0.5}
            rows.append(row | {"median_judgments": round(at["judgments"].median() or 0)})
    table = pl.DataFrame(rows)
    table.write_csv(RESULTS / "likely.csv", float_precision=4)
    lines = [
        "# The likely winner: trials on random halves",
        "",
        "Written by `python -m scripts.likely_trials --page` from the records of the trials:",
        "random halves of runs and topics, RBP(p=0.8), a look after every batch. A stop is right",
        f"if no run is better than the named one by more than {WITHIN}; in brackets one Monte",
        "Carlo error.",
        "",
        "| collection | trials | level | right | judgments, median |",
        "|---|---|---|---|---|",
    ]
    for name, n, level, right, error, median in table.iter_rows():
        lines.append(f"| {name} | {n} | {level} | {right:.2f} ({error:.2f}) | {median} |")
    (RESULTS / "likely.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def trials(
    played: Callable[[int], Iterable[Stopped]], n: int, record: Path | None = None
) -> list[Stopped]:
    """The stops of n trials; those that the record has are not played again."""
    rows = pl.read_csv(record).to_dicts() if record is not None and record.exists() else []
    done = {row["seed"] for row in rows}
    for seed in sorted({*range(n)} - done):
        new = [{"seed": seed, **asdict(stop)} for stop in played(seed)]
        rows += new
        if record is not None and new:
            begun = record.exists()
            with record.open("a") as out:
                out.write(pl.DataFrame(new).write_csv(include_header=not begun))
    return [Stopped(row["level"], row["judgments"], row["behind"]) for row in rows]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", nargs="?")
    parser.add_argument("--page", type=Path, nargs="+", help="records to write the page from")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--measure", default="RBP(p=0.8)")
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--k", type=int, default=1)
    parser.add_argument("--permuted", action="store_true")
    parser.add_argument("--significant", action="store_true")
    parser.add_argument("--audit", action="store_true", help="coverage of the audit's intervals")
    parser.add_argument("--order", default=None, help="another order, watched by the model")
    parser.add_argument("--record", type=Path, help="a csv file: trials in it are not redone")
    asked = parser.parse_args()
    if asked.page:
        page(asked.page)
        return
    collection = leadline.read(asked.collection)
    order = LikelyWinner(measure=asked.measure, k=asked.k)
    if asked.significant:
        pairs = [twins(collection, seed) for seed in range(asked.trials)]
        false = sum(falsely_significant(two, order.weighted) for two in pairs)
        print(asked.collection, f"LeaderSignificant: {false} of {asked.trials} stop, all falsely")
        return
    if asked.audit:
        halves = ((part(collection, asked.share, seed), seed) for seed in range(asked.trials))
        found = [audit_trial(half, replace(order, seed=seed)) for half, seed in halves]
        print(asked.collection, order, f"{asked.trials} trials")
        print(audit_line([trial for trial in found if trial is not None]))
        return

    def played(seed: int) -> Iterator[Stopped]:
        if asked.permuted:
            return play(twins(collection, seed), order)
        half = part(collection, asked.share, seed)
        if asked.order is not None:
            return watch(half, orders.parse(asked.order), order.weighted)
        return play(half, replace(order, seed=seed), asked.k)

    stops = trials(played, asked.trials, asked.record)
    print(asked.collection, asked.order or order, f"{asked.trials} trials")
    print("\n".join(table(stops)), flush=True)


if __name__ == "__main__":
    main()
