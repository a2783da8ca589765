"""What a gate says: a row for each measure and slice, one verdict, and what to judge."""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from leadline.comparison.correction import Correct
from leadline.comparison.gate_verdicts import Asked, Verdict
from leadline.comparison.sureness import Sureness

EXIT: dict[Verdict, int] = {
    "not_worse": 0,
    "equivalent": 0,
    "worse": 1,
    "different": 1,
    "undecided": 3,
}


@dataclass(frozen=True)
class GateRow:
    """One measure over all topics, or a slice of them. None where something is not known.

    `ci_lower` and `ci_upper` allow for the sample of topics, `lower` and `upper` are the bounds
    over every completion of the judgments on these topics, `combined_lower` and `combined_upper`
    allow for both. `verdict` is for topics in general, `on_these_topics` for these alone, and
    `certainty` says how settled the latter is.
    """

    measure: str
    slice: str
    difference: float | None
    ci_lower: float | None
    ci_upper: float | None
    lower: float | None
    upper: float | None
    likely_worse: float | None
    verdict: Verdict
    on_these_topics: Verdict
    certainty: Sureness
    caveats: str
    judge_next: str | None
    expected: float | None
    combined_lower: float | None
    combined_upper: float | None
    topics: int
    topics_needed: int | None
    judgments_needed: int | None

    @property
    def centre(self) -> float | None:
        """The difference that is expected, or as judged where none is."""
        return self.difference if self.expected is None else self.expected


@dataclass(frozen=True, eq=False)
class GateOutcome:
    """Who was asked about and how, the rows, and the documents to judge by order of worth.

    `documents` has the columns measure, topic, doc, worth, rank_baseline, rank_new. With
    `strict_slices` a slice that is worse makes the whole verdict worse.
    """

    baseline: str
    new: str
    margin: float
    confidence: float
    asked: Asked
    correct: Correct
    estimator: str | None
    rows: list[GateRow]
    documents: pl.DataFrame
    strict_slices: bool = False

    @cached_property
    def verdict(self) -> Verdict:
        """worse (different) if one measure says so, undecided if one is, else not_worse."""
        said = [row.verdict for row in self.rows if row.slice == "all"]
        if self.strict_slices:
            said += [row.verdict for row in self.rows if EXIT[row.verdict] == 1]
        return max(said, key=lambda verdict: (EXIT[verdict] == 1, EXIT[verdict] == 3))

    @property
    def exit_code(self) -> int:
        """0 not worse, 1 worse, 3 undecided."""
        return EXIT[self.verdict]

    @cached_property
    def worst_slices(self) -> dict[str, str]:
        """For each measure the slice on which the new run does worst; empty without slices."""
        known = [
            (row.centre, row) for row in self.rows if row.slice != "all" and row.centre is not None
        ]
        worst: dict[str, str] = {}
        # Of equals the first.
        for _, row in sorted(known, key=lambda each: each[0]):
            worst.setdefault(row.measure, row.slice)
        return {row.measure: worst[row.measure] for row in self.rows if row.measure in worst}
