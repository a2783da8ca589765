"""pool: which pairs to judge, with the probability and the stratum of each."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl

from leadline.api.result import Result, RoundedResult
from leadline.api.shared_options import LabelFiles, ReadOptions, Seed, complete
from leadline.completions.contributions import only_group
from leadline.data.judgments import Judgments
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.io.pool_csv import PoolInput, pool_over, with_record
from leadline.io.problems import Notices, Progress
from leadline.io.read import read
from leadline.options import Option
from leadline.pooling.strategies import PoolStrategy, Stratified, pools, stratifications

if TYPE_CHECKING:
    import altair as alt


class StratifiedPools(RoundedResult):
    """Stratified pools of one depth, and how many pairs each takes."""


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Result):
    """The pairs of a pool, the pool itself, and the runs that it was made from."""

    pool: Pool
    runs: Runs
    judgments: Judgments
    undrawn: bool = False
    unjudged: bool = False
    expected_errors: dict[int, float] = field(default_factory=dict)
    error_of: str = ""
    notices: Notices = field(default_factory=Notices)

    @property
    def n_judged(self) -> int:
        """How many members the judgments given hold already."""
        return int((self.pool.member & self.judgments.judged).sum())

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns topic, doc, stratum, inclusion, judged of the members.

        A pool in batches has batch and expected, the gain that was expected at the draw. `undrawn`
        adds what could have been drawn but was not, and a column drawn; of a pool in batches also
        probabilities, predictions and planned, for anytime-valid intervals. `unjudged` leaves out
        what is judged already.
        """
        pool = self.pool
        shown = pool.member | (self.undrawn & (pool.inclusion > 0))
        members = np.flatnonzero(shown & ~(self.unjudged & self.judgments.judged))
        frame = self.runs.pairs.frame(members).drop("pair")
        frame = frame.with_columns(
            stratum=pl.Series(pool.stratum[members]),
            inclusion=pl.Series(pool.inclusion[members]),
            judged=pl.Series(self.judgments.judged[members]),
        )
        if pool.batch is not None and pool.expected is not None:
            frame = frame.with_columns(
                batch=pl.Series(pool.batch[members]),
                expected=pl.Series(pool.expected[members]).fill_nan(None),
            )
        if not self.undrawn:
            return frame
        frame = frame.with_columns(drawn=pl.Series(pool.member[members]))
        return frame if pool.record is None else with_record(frame, pool.record, members)

    def stratifications(self) -> StratifiedPools:
        """Return ways to stratify a pool as deep as this one, each with its expected size.

        Columns: strategy, pairs, pairs_per_topic. Sizes of strata are growing multiples of a tenth
        of the depth, rates fall with the rank as a logistic curve, and half of the depth is judged
        per run, as Lipani, Lupu and Hanbury (ECIR 2016) have it.
        """
        depth = pools.parse(self.pool.strategy).last_rank
        if depth is None or depth < 2:
            raise ValueError(f"{self.pool.strategy} has no depth of 2 or more to stratify")
        best, rows = self.runs.best_rank, []
        for strata in stratifications(depth, max(1, depth // 10)):
            shown = tuple((size, round(rate, 4)) for size, rate in strata)
            ends = np.cumsum([size for size, _ in shown])
            rate = np.array([*(rate for _, rate in shown), 0.0])
            n = float(rate[np.searchsorted(ends, best)].sum())
            rows.append((str(Stratified(shown)), n, n / len(self.runs.pairs.topics)))
        columns = {"strategy": pl.String, "pairs": pl.Float64, "pairs_per_topic": pl.Float64}
        return StratifiedPools(pl.DataFrame(rows, schema=columns, orient="row"), self.notices)

    def chart(self) -> "alt.TopLevelMixin":
        """A bar for each topic: how many pairs there are, judged ones apart.

        Beside it, for a pool that knows, what error to expect from how many judgments.
        """
        from leadline.views.charts import stacked
        from leadline.views.result_charts import budget_curve, pool_sizes

        sizes = pool_sizes(self.frame)
        if not self.expected_errors:
            return sizes
        return stacked([sizes, budget_curve(self.expected_errors, len(self.pool), self.error_of)])

    def per_topic(self) -> pl.DataFrame:
        """Columns topic, pairs: how many there are to judge."""
        topic = self.runs.pairs.topic[self.pool.member]
        count = np.bincount(topic, minlength=len(self.runs.pairs.topics))
        return pl.DataFrame({"topic": self.runs.pairs.topics, "pairs": count})

    def per_run(self) -> pl.DataFrame:
        """Columns run, group, pairs, alone: members in a run's top ranks, only in its group's."""
        runs, run, n_runs = self.runs, self.runs.entries.run, len(self.runs.names)
        inside = self.pool.member[runs.pair]
        owner = only_group(runs.pair, runs.group_number[run], len(runs.pairs))
        alone = inside & (owner[runs.pair] >= 0)
        return pl.DataFrame(
            {
                "run": runs.names,
                "group": runs.group,
                "pairs": np.bincount(run[inside], minlength=n_runs),
                "alone": np.bincount(run[alone], minlength=n_runs),
            }
        )


def pool(
    qrels: Any,
    runs: Any = None,
    strategy: Annotated[str | PoolStrategy, Option("-s --strategy")] = "Depth(d=10)",
    *,
    seed: Seed = 0,
    previous: Annotated[PoolInput | None, Option(metavar="FILE")] = None,
    all_runs: bool = False,
    undrawn: bool = False,
    unjudged: bool = False,
    use_judgments: Annotated[bool, Option("--use-judgments/--no-use-judgments")] = True,
    labels: LabelFiles = None,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Pooled:
    """Columns topic, doc, stratum, inclusion, judged of the pairs to judge.

    The same runs and seed give the same pool on every machine, and without some of the runs a pool
    inside it.

    qrels, runs: as for `evaluate`; qrels may be None where nothing is judged yet. Only their topics
        count, and `judged` tells what they hold already.
    strategy: how to choose pairs. `leadline list pools` describes the strategies.
    seed: random seed.
    previous: the pool so far, with all its pairs judged in `qrels`; WeightedSample adds the next
        batch. The topics are then those of the runs, or `topics`.
    all_runs: also pool the runs that groups.tsv marks as unpooled. By default they are left out.
    undrawn: also list the pairs that were not sampled, with a column drawn. infAP, xinfAP, infNDCG
        and anytime-valid intervals need them.
    unjudged: list only pairs that `qrels` do not judge. Estimates from a sample need the whole
        list.
    use_judgments: whether to use the judgments in `qrels`.
    labels: as for `estimate`.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    made = pools.parse(strategy) if isinstance(strategy, str) else strategy
    collection = read(
        qrels,
        runs,
        progress=progress,
        labels=labels,
        depth=made.last_rank,
        unjudged_topics=made.in_batches,
        **complete(read_options),
    )
    if not use_judgments and previous is not None:
        raise ValueError("`previous` was judged: its judgments must be used")
    before = None if previous is None else pool_over(collection.runs.pairs, previous)
    judgments = collection.judgments
    if not use_judgments:
        judgments = judgments.only(np.zeros(len(collection.runs.pairs), np.bool_))
    runs_pooled = collection.runs
    unpooled = int((~collection.pooled).sum())
    if unpooled and not all_runs:
        runs_pooled = runs_pooled.only(collection.pooled)
        message = (
            f"{unpooled} of {len(collection.runs.names)} runs are marked unpooled in groups.tsv "
            "and left out; `all_runs` pools them too"
        )
        collection.notices.add("", "notice", "unpooled", message)
    known = runs_pooled, seed, judgments, before
    drawn, errors = made.next_batch(*known), made.expected_errors(*known)
    return Pooled(
        drawn,
        runs_pooled,
        judgments,
        undrawn,
        unjudged,
        errors,
        made.error_of,
        collection.notices,
    )
