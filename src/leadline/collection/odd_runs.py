"""Runs that are probably not what was meant: scores upside down, all equal, foreign documents."""

import numpy as np

from leadline.files.problems import Notices
from leadline.formats.rows import Rows
from leadline.tables.arrays import Int64s
from leadline.tables.scores import Scores

FEW = 3
"""So few neighbours may rise or be equal by chance."""


class OddRuns:
    """How the scores of each run go down its lists, as the file has them."""

    def __init__(self) -> None:
        self.steps: dict[str, Int64s] = {}

    def look(self, runs: list[str], rows: Rows) -> None:
        """Count neighbours whose score rises, falls, or stays: of runs, or of parts of one."""
        if len(rows) < 2:
            return
        before, after = rows.run_score[:-1], rows.run_score[1:]
        border = rows.starts[1:] - 1
        first = np.append(rows.run_start, len(rows)).tolist()
        for change, mask in enumerate((after > before, after < before, after == before)):
            mask[border] = False
            for at, run in enumerate(runs):
                n = int(np.count_nonzero(mask[first[at] : max(first[at + 1] - 1, 0)]))
                self.steps.setdefault(run, np.zeros(3, np.int64))[change] += n

    def report(self, notices: Notices) -> None:
        """Say which runs are odd."""
        for run, (rises, falls, level) in self.steps.items():
            if falls:
                continue
            if rises > FEW:
                message = (
                    "its scores rise down every list, as distances or ranks do, and high ones "
                    "count as good: turn their sign, or take the lists as they are with "
                    "`ranks` listed"
                )
                notices.add(run, "warning", "ascending", message)
            elif level > FEW:
                message = (
                    "all scores of a list are equal, so its order is that of the docnos: give "
                    "scores, or take the lists as they are with `ranks` listed"
                )
                notices.add(run, "warning", "constant", message)


def say_foreign(scores: list[Scores], judged_in: str, notices: Notices) -> None:
    """Note runs of which no document that any of the measures looks at was judged."""
    if not scores:
        return
    some = np.zeros(len(scores[0].runs), np.bool_)
    for each in scores:
        some |= np.nan_to_num(each.judged).max(axis=1, initial=0.0) > 0
    foreign = [run for run, known in zip(scores[0].runs, some.tolist(), strict=True) if not known]
    for run in foreign:
        message = (
            f"nothing that it returns is judged in {judged_in}, as deep as the measures look: "
            "are its documents named as there?"
        )
        notices.add(run, "warning", "foreign", message)
