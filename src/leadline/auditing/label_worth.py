"""What a label is worth: the mean gain that people give to pairs with it."""

from dataclasses import dataclass

import numpy as np

from leadline.auditing.audited_pairs import AuditedPairs, AuditRow
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.cheap_labels import NO_LABEL


@dataclass(frozen=True, eq=False)
class Calibration:
    """E[h | g]: the mean gain `value` of pairs with each `label`, the last of them NO_LABEL."""

    label: Int64s
    value: Floats
    error: Floats
    n: Int64s

    @classmethod
    def of(cls, audited: AuditedPairs, gain: Floats) -> "Calibration":
        """From pairs that people judged, each weighted 1 / pi; `gain` is that of each grade.

        A label of which nobody judged a pair has the mean of all; its error is NaN.
        """
        pair = audited.judged
        worth = gain[audited.human.grade[pair]]
        weight = audited.weight(pair)
        labels = np.append(np.arange(audited.top + 1), NO_LABEL)
        mean = float(np.average(worth, weights=weight)) if len(pair) else np.nan
        value, error = np.full(len(labels), mean), np.full(len(labels), np.nan)
        n = np.zeros(len(labels), np.int64)
        for at, label in enumerate(labels):
            here = audited.label[pair] == label
            n[at] = here.sum()
            if n[at]:
                total = float(weight[here].sum())
                value[at] = float((weight * worth)[here].sum()) / total
                influence = np.where(here, (worth - value[at]) / total, 0.0)
                error[at] = float(audited.error(pair, influence)) if n[at] > 1 else np.nan
        return cls(labels, value, error, n)

    def expected(self, label: Floats | Int64s) -> Floats:
        """The gain to expect of pairs with these labels."""
        expected: Floats = self.value[np.asarray(label, np.int64)]
        return expected


def calibration_rows(audited: AuditedPairs, gain: Floats) -> list[AuditRow]:
    """Section calibration: a line for each label, and one for pairs without."""
    made = Calibration.of(audited, gain)
    pair = audited.judged
    weight, most = audited.weight(pair), float(gain.max())
    rows = []
    for label, value, error, n in zip(made.label, made.value, made.error, made.n, strict=True):
        name = "no label" if label == NO_LABEL else f"grade {label}"
        if n or label != NO_LABEL:
            seen = value if n else np.nan
            behind = weight[audited.label[pair] == label]
            rows.append(audited.share_row("calibration", name, seen, error, behind, most))
    return rows
