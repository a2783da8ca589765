"""compare: which differences between runs to trust."""

import logging
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.inputs import TopicNames
from leadline.collection.topics_seen import some_of
from leadline.comparison.bases import Basis
from leadline.comparison.correction import Correct
from leadline.comparison.details import Progress
from leadline.comparison.hypothesis_test import Tails, Test, tests
from leadline.comparison.pairwise import Pairwise, compare_pairs
from leadline.comparison.significance import Wilcoxon
from leadline.files.problems import Notices
from leadline.formats import pool_csv
from leadline.formats.ranking import Ranks
from leadline.measures.measure import Measure, measures
from leadline.tables.judgments import Judgments
from leadline.verbs.pool import read_topics

DEFAULT = "RBP(p=0.8)"
DECIMALS = 12
NOTABLE = 0.05
_NO_DRAW = np.random.default_rng(0)


@dataclass(frozen=True)
class Compared:
    """Every pair of runs for each measure, and what should be said about it."""

    pairs: dict[str, Pairwise]
    notices: Notices

    def frame(self, details: bool = False, progress: Progress | None = None) -> pl.DataFrame:
        """run_a, run_b, measure, test, basis, difference, lower, upper, p, p_corrected, verdict,
        trust; `details` adds n_topics, effect, topic_lower, topic_upper, topics_needed and
        judgments_needed.
        """
        return pl.concat([each.frame(details, progress) for each in self.pairs.values()])

    def tier_frame(self) -> pl.DataFrame:
        """run, measure, value, lower, upper, tier_certainty, tier_significance; best first."""
        return pl.concat([each.tier_frame() for each in self.pairs.values()])


def compare(
    qrels: Any,
    runs: Any = None,
    measures: Sequence[str | Measure] | str | Measure = DEFAULT,
    *,
    details: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Columns run_a, run_b, measure, test, basis, difference, lower, upper, p, p_corrected, verdict
    and trust, a row for each pair of runs.

    Inputs as for `evaluate`; options are those of `compare_runs`. lower and upper are the ends of
    the joint interval of the difference; trust is empty or says why not to rely on the row. Notices
    go to the log "leadline".

    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    >>> first, second = {"a": 9.0, "b": 8.0}, {"a": 7.0, "b": 8.0}
    >>> runs = {"one": {"1": first, "2": first}, "two": {"1": second, "2": second}}
    >>> compare(qrels, runs, "P@1").select("difference", "lower", "upper", "verdict").row(0)
    (1.0, 1.0, 1.0, 'undecided')
    """
    result = compare_runs(qrels, runs, measures, **options)
    log = logging.getLogger("leadline")
    for problem in result.notices.problems:
        log.log(logging.INFO if problem.level == "notice" else logging.WARNING, "%s", problem)
    return result.frame(details)


def compare_runs(
    qrels: Any,
    runs: Any = None,
    names: Sequence[str | Measure] | str | Measure = DEFAULT,
    *,
    test: str | Test = "wilcoxon",
    basis: Basis = "base",
    tails: Tails = 2,
    correct: Correct = "holm",
    level: float = 0.05,
    baseline: str | None = None,
    seed: int = 0,
    topics: TopicNames = None,
    pool: str | os.PathLike[str] | pl.DataFrame | None = None,
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    progress: Progress | None = None,
) -> Compared:
    """The same with all notices, tiers and matrices.

    `test` is one that `leadline.list("tests")` shows. `basis` says what the run that is behind is
    given: its score (base), the upper end of its interval (top) or its projected score; with
    both-projected both are. `correct` allows for the number of pairs: holm, bh or none. With a
    `baseline` every other run is compared with it only. With a `pool` only judgments inside it
    count.
    """
    asked = [names] if isinstance(names, str | Measure) else list(names)
    wanted = [measures.parse(name) if isinstance(name, str) else name for name in asked]
    if not wanted:
        raise ValueError("name a measure to compare by, for instance RBP(p=0.8)")
    chosen = tests.parse(test) if isinstance(test, str) else test
    read = read_topics(
        qrels, runs, topics, ranks=ranks, lenient=lenient, map_grades=map_grades, progress=progress
    )
    judgments = read.judgments
    if pool is not None:
        judgments = pool_csv.restrict_pairs(judgments, pool)
        say_blank(judgments, read.notices)
    pairs = {
        str(measure): compare_pairs(
            read.runs,
            judgments,
            measure,
            test=chosen,
            basis=basis,
            tails=tails,
            correct=correct,
            level=level,
            seed=seed,
            baseline=baseline,
        )
        for measure in wanted
    }
    for each in pairs.values():
        say_caveats(each, chosen, read)
    return Compared(pairs, read.notices)


def say_blank(judgments: Judgments, notices: Notices) -> None:
    """Note the topics of which the pool holds no judgment."""
    topics = judgments.pairs.topics
    known = np.bincount(judgments.pairs.topic, judgments.judged, len(topics))
    blank = [topics[at] for at in np.flatnonzero(known == 0)]
    if blank:
        message = (
            f"holds no judgment on {len(blank)} topics, which count with everything unjudged: "
            f"{some_of(blank)}. Leave them out with --topics"
        )
        notices.add("pool", "warning", "unjudged-topic", message)


def say_caveats(pairs: Pairwise, test: Test, read: Collection) -> None:
    """Note what makes p-values less than they seem."""
    draws, n = getattr(test, "n", None), len(pairs.first)
    if draws is not None and not test.familywise and pairs.correct == "holm":
        least = n / (1 + draws)
        if least >= pairs.level:
            message = (
                f"{draws:,} draws cannot give a corrected p below {min(1.0, least):.2g} for {n:,} "
                f"pairs: take {test.registered_name()}(n={math.ceil(n / pairs.level)}) or more, "
                "the correction bh, or the test tukey"
            )
            _once(read, "few-draws", message)
    if test == Wilcoxon():
        tied = Wilcoxon(decimals=DECIMALS).p(pairs.outcome.rows, pairs.tails, _NO_DRAW)
        moved = int((np.abs(tied - pairs.p) > NOTABLE * pairs.p).sum())
        if moved:
            message = (
                f"{pairs.scores.measure}: in {moved:,} of {n:,} pairs differences that should tie "
                f"differ in their last digits and p moves by more than {NOTABLE:.0%}; "
                f"wilcoxon(decimals={DECIMALS}) lets them tie, R and scipy do not"
            )
            read.notices.add("", "notice", "broken-ties", message)
    if not pairs.judgments.judged.any():
        _once(read, "nothing-judged", "no document of these runs was judged")


def _once(read: Collection, code: str, message: str) -> None:
    if all(problem.code != code for problem in read.notices.problems):
        read.notices.add("", "warning", code, message)
