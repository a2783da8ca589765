"""From grades to gains: what a document of each grade is worth."""

from typing import Literal

import numpy as np

from leadline.tables.arrays import Floats, Int64s

STEEPEST = 500
"""The best grade for exponential gains: sums of squares of 2^g stay below the largest double."""

BEST_GRADE = 32767
"""Grades have 16 bits."""

Gains = Literal["binary", "grade", "exp2", "linear", "exp2_scaled"] | tuple[tuple[int, float], ...]
"""A rule by name, or (grade, gain) for some grades, the others taking the next lower one's gain."""


def gain_table(gains: Gains, rel: int, max_grade: int) -> Floats:
    """The gain of every grade from 0 to `max_grade`; 0 below `rel`, and never falling.

    binary: 1; grade: g; exp2: 2^g - 1; linear: g / max_grade;
    exp2_scaled: (2^g - 1) / 2^max_grade

    >>> gain_table("exp2", 1, 3).tolist()
    [0.0, 1.0, 3.0, 7.0]
    >>> gain_table(((1, 0.5), (3, 1.0)), 1, 3).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    if gains in ("exp2", "exp2_scaled") and max_grade > STEEPEST:
        raise ValueError(
            f"2^g of grade {max_grade} is too large a gain, {STEEPEST} is the best grade for it: "
            "read it as a smaller one with `map_grades`, or choose other gains, for instance "
            "gains=linear"
        )
    grade = np.arange(max_grade + 1, dtype=np.float64)
    match gains:
        case "binary":
            table = np.ones_like(grade)
        case "grade":
            table = grade
        case "exp2":
            table = np.exp2(grade) - 1
        case "linear":
            table = grade / max_grade
        case "exp2_scaled":
            table = (np.exp2(grade) - 1) / np.exp2(max_grade)
        case pairs:
            table = np.zeros_like(grade)
            for least, gain in sorted(pairs):
                table[grade >= least] = gain
    table = np.where((grade >= rel) & (grade > 0), table, 0.0)
    if (np.diff(table) < 0).any():
        raise ValueError(f"a better grade must not have a smaller gain: {gains}")
    return table


def check_gains(gains: Gains) -> None:
    """A ValueError if the gains given by hand fall, repeat a grade or are negative."""
    if isinstance(gains, str):
        return
    grades = [grade for grade, _ in gains]
    values = [gain for _, gain in sorted(gains)]
    if not gains or len(set(grades)) != len(grades) or min(grades) < 1:
        raise ValueError("gains need (grade, gain) for different grades of 1 or more")
    if values != sorted(values) or values[0] < 0:
        raise ValueError(f"gains must not be negative and must not fall with the grade: {values}")


def scale(max_grade: int | None, known: int, rel: int) -> int:
    """The top of the grade scale: as a measure names it, else as the judgments do.

    It reaches `rel` at least: an unjudged document may be the first that is relevant.
    """
    if max_grade is None:
        return max(known, rel)
    if max_grade < known:
        raise ValueError(f"max_grade={max_grade}, but the judgments go up to {known}")
    return max_grade


def at_least(counts: Int64s, max_grade: int) -> Int64s:
    """[lists, max_grade + 1]: judged documents with each grade or a better one."""
    reached: Int64s = np.zeros((len(counts), max_grade + 1), np.int64)
    reached[:, : counts.shape[1]] = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    return reached
