"""What a judge alone would have said of the runs: their order, and which differences it sees."""

from dataclasses import dataclass

import numpy as np

from leadline.auditing.audited_pairs import AuditRow, known
from leadline.auditing.run_bias import AuditedScores
from leadline.comparison.correction import corrected
from leadline.comparison.leaders import K, kept, largest_drop, leader_drop
from leadline.comparison.rank_correlation import kendall, tau_ap
from leadline.comparison.significance import T
from leadline.tables.arrays import Floats, Int64s

BEST = 20
LEVEL = 0.05


@dataclass(frozen=True)
class TurnedVerdicts:
    """Pairs of runs by what a test says of them with the people's and with the judge's scores.

    Otero, Parapar and Ferro, How discriminative are your qrels? How to study the statistical
    significance of document adjudication methods, CIKM 2023.
    """

    both: int
    opposite: int
    false_alarms: int
    missed: int
    neither: int

    @property
    def n(self) -> int:
        """Pairs of runs."""
        return self.both + self.opposite + self.false_alarms + self.missed + self.neither

    @classmethod
    def of(cls, people: Floats, judge: Floats) -> "TurnedVerdicts":
        """Of scores [runs, topics], by Student's t over topics with Holm's correction.

        >>> people = np.array([[0.9, 0.8, 0.9, 0.8], [0.1, 0.1, 0.2, 0.1]])
        >>> TurnedVerdicts.of(people, people[::-1]).opposite
        1
        """
        first, second = np.triu_indices(len(people), 1)
        one, two = (_verdicts(scores, first, second) for scores in (people, judge))
        return cls(
            int(((one == two) & (one != 0)).sum()),
            int((one * two < 0).sum()),
            int(((one == 0) & (two != 0)).sum()),
            int(((one != 0) & (two == 0)).sum()),
            int(((one == 0) & (two == 0)).sum()),
        )


def _verdicts(scores: Floats, first: Int64s, second: Int64s) -> Floats:
    """1 where the first run of a pair is significantly better, -1 where worse, else 0."""
    difference = scores[first] - scores[second]
    if not len(difference):
        return np.zeros(0)
    p = corrected(T().p(difference, 2, np.random.default_rng(0)), "holm")
    with np.errstate(invalid="ignore"):
        return np.where(p < LEVEL, np.sign(difference.mean(axis=1)), 0.0)


def verdict_rows(scores: AuditedScores) -> list[AuditRow]:
    """Sections order and verdicts, for all pairs of runs and among the best 20 by people."""
    people, judge = scores.people, scores.published
    if len(people) < 2:
        return []
    n = len(people)
    order = [
        ("tau", kendall(people, judge)),
        ("AP correlation", tau_ap(people, judge)),
        ("ranks that the judge's best run falls", leader_drop(judge, people)),
        (f"most ranks that one of the judge's best {K} falls", largest_drop(judge, people)),
        (f"share of the judge's best {K} among the people's", kept(judge, people)),
    ]
    rows = [AuditRow("order", name, known(value), n=n) for name, value in order]
    best = np.sort(np.argsort(-people, kind="stable")[:BEST])
    for where, chosen in (("all pairs", np.arange(n)), (f"best {BEST}", best)):
        if where != "all pairs" and n <= BEST:
            continue
        turned = TurnedVerdicts.of(
            scores.people_by_topic[chosen], scores.published_by_topic[chosen]
        )
        for name in ("both", "opposite", "false_alarms", "missed", "neither"):
            count = getattr(turned, name)
            item = f"{where}: {name.replace('_', ' ')}"
            rows.append(AuditRow("verdicts", item, float(count), n=turned.n))
    return rows
