"""All that an audit says of a judge, line by line."""

from dataclasses import dataclass, field

import numpy as np

from leadline.auditing.agreement_rows import agreement_rows
from leadline.auditing.aspects import (
    aspect_rows,
    length_parts,
    position_parts,
    rank_parts,
    time_parts,
)
from leadline.auditing.audited_pairs import AuditedPairs, AuditRow, effective
from leadline.auditing.favour import favour_rows
from leadline.auditing.label_worth import calibration_rows
from leadline.auditing.more_judgments import more_rows
from leadline.auditing.run_bias import AuditedScores, bias_rows, score_rows
from leadline.auditing.verdicts import verdict_rows
from leadline.estimators.pair_weights import last_rank
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats
from leadline.tables.cheap_labels import NO_LABEL
from leadline.tables.runs import Runs


@dataclass(frozen=True, eq=False)
class PairFacts:
    """What is known of pairs besides: words of the text, where the query's terms first stand in it,
    and when the label was given. NaN where it is not; a fact that nobody has is None."""

    length: Floats | None = None
    position: Floats | None = None
    time: Floats | None = None


@dataclass(frozen=True, eq=False)
class AuditInput:
    """Labels and judgments, the runs if there are any, and what is asked."""

    audited: AuditedPairs
    measure: Weighted
    rel: int = 1
    runs: Runs | None = None
    family: tuple[str | None, ...] = ()
    facts: PairFacts = field(default_factory=PairFacts)
    seed: int = 0


def audit_lines(asked: AuditInput) -> list[AuditRow]:
    """Every section that the input allows."""
    audited = asked.audited
    gain, label_gain = (asked.measure.gain(top) for top in (audited.human.max_grade, audited.top))
    rows = sample_rows(audited)
    rows += agreement_rows(audited, asked.rel)
    rows += calibration_rows(audited, gain)
    if asked.runs is not None:
        scores = AuditedScores(audited, asked.runs, asked.measure)
        rows += bias_rows(scores, asked.family)
        rows += favour_rows(scores, asked.family, asked.seed)
        rows += score_rows(scores) + verdict_rows(scores) + more_rows(scores)
    return rows + _aspects(asked, label_gain)


def sample_rows(audited: AuditedPairs) -> list[AuditRow]:
    """Section sample: how many pairs and topics both judged, and how they were chosen."""
    pairs, both = audited.human.pairs, audited.both
    weight = audited.weight(both)
    rows = [
        ("pairs judged by people", len(audited.judged)),
        ("pairs labelled by the judge", int((audited.label != NO_LABEL).sum())),
        ("pairs judged by both", len(both)),
        ("topics with pairs judged by both", len(np.unique(pairs.topic[both]))),
        ("drawn by chance", int(audited.choice == "drawn")),
        ("at least 95% judged where the measure looks", int(audited.choice == "complete")),
    ]
    if audited.choice == "drawn" and len(both):
        rows.append(("pairs drawn evenly that would tell as much", round(effective(weight))))
    return [AuditRow("sample", name, float(value)) for name, value in rows]


def _aspects(asked: AuditInput, gain: Floats) -> list[AuditRow]:
    audited, facts = asked.audited, asked.facts
    parts = []
    if asked.runs is not None:
        best = asked.runs.best_rank.astype(np.int64)
        last = last_rank(asked.measure, int(asked.runs.length.max(initial=1)))
        parts.append(("bias by rank", *rank_parts(best, last)))
    if facts.length is not None:
        parts.append(("bias by length", *length_parts(facts.length)))
    if facts.position is not None:
        parts.append(("bias by query terms", *position_parts(facts.position)))
    if facts.time is not None:
        parts.append(("drift", *time_parts(facts.time)))
    return [
        row
        for section, names, part in parts
        for row in aspect_rows(audited, section, names, part, gain)
    ]
