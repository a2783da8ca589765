"""Lists by subtopic: a row of grades for each subtopic, and cascades."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int64s
from leadline.data.lists import Lists
from leadline.data.subtopics import SubtopicGrades

CELLS = 1 << 19
"""Cells in a block: temporaries stay small."""


@dataclass(frozen=True, eq=False)
class SubtopicBlock:
    """Some lists as a matrix of grades; `owner` is the list of each row.

    `row` is the position of each list in the flattened (run, topic) grid. `judged`, `length` and
    `listed` go by list, `grade`, `weight` and `n_relevant` by row.
    """

    row: Int64s
    length: Int64s
    judged: Bools
    owner: Int64s
    grade: Int16s
    weight: Floats
    n_relevant: Int64s

    @cached_property
    def rank(self) -> Int64s:
        """1, 2, ... for the columns."""
        return np.arange(1, self.grade.shape[1] + 1)

    @cached_property
    def unjudged(self) -> Bools:
        """[rows, columns]: cells that hold a document that nobody judged."""
        open_: Bools = ~self.judged & (self.rank <= self.length[:, None])
        return open_[self.owner]

    @property
    def counted(self) -> Bools:
        """Rows of subtopics that have a relevant document: the others do not count yet."""
        known: Bools = self.n_relevant > 0
        return known

    def by_list(self, rows: Floats) -> Floats:
        """The sum over each list's rows, in the order of its subtopics."""
        total = np.bincount(self.owner, weights=rows, minlength=len(self.row))
        return total.astype(np.float64, copy=False)


def subtopic_blocks(
    lists: Lists, depth: int | None, rel: int = 1, every: bool = True
) -> Iterator[SubtopicBlock]:
    """All lists, cut to `depth`, as matrices of bounded size; every list comes once.

    Without `every`, subtopics that have no relevant document get no row.
    """
    grades = subtopics_of(lists)
    n_topics = len(lists.topics)
    relevant = grades.n_relevant(rel)
    shown = np.arange(len(relevant)) if every else np.flatnonzero(relevant)
    # Topics beyond those of the grades are there because a run has them; nothing is known of them.
    first = np.searchsorted(shown, grades.first)
    first = np.append(first, np.full(n_topics + 1 - len(first), first[-1]))
    place = np.full(len(relevant), -1)
    place[shown] = np.arange(len(shown))
    length = lists.length.ravel()
    width = length if depth is None else np.minimum(length, depth)
    n_rows = np.diff(first)[np.arange(len(length)) % max(1, n_topics)]
    order = np.argsort(-width, kind="stable")
    position = 0
    while position < len(order):
        columns = max(1, int(width[order[position]]))
        reach = np.cumsum(np.maximum(1, n_rows[order[position : position + CELLS // columns + 1]]))
        n = max(1, int(np.searchsorted(reach, CELLS // columns, side="right")))
        rows = order[position : position + n]
        yield _block(lists, grades, rows, columns, width[rows], first, place, shown, relevant)
        position += n


def subtopics_of(lists: Lists) -> SubtopicGrades:
    """The subtopic grades of lists that have them."""
    if lists.subtopics is None or lists.in_subtopics is None:
        raise ValueError("a measure of diversity needs lists with grades per subtopic")
    return lists.subtopics


def _block(
    lists: Lists,
    grades: SubtopicGrades,
    rows: Int64s,
    columns: int,
    width: Int64s,
    first: Int64s,
    place: Int64s,
    shown: Int64s,
    relevant: Int64s,
) -> SubtopicBlock:
    topic = rows % max(1, len(lists.topics))
    begin = first[topic]
    n_rows = first[topic + 1] - begin
    offset = np.concatenate([[0], np.cumsum(n_rows)])
    owner = np.repeat(np.arange(len(rows)), n_rows)
    subtopic = shown[np.arange(len(owner)) - offset[owner] + begin[owner]]
    column = np.arange(columns)
    inside = column < width[:, None]
    cell = np.where(inside, lists.start.ravel()[rows][:, None] + column, 0)
    grade = np.zeros((len(owner), columns), np.int16)
    judged = np.zeros(cell.shape, np.bool_)
    if len(lists.judged):
        judged = lists.judged[cell] & inside
        assert lists.in_subtopics is not None
        doc = np.where(judged, lists.in_subtopics[cell], -1)
        at_list, at_column = np.nonzero(doc >= 0)
        found = doc[at_list, at_column]
        n_labels = grades.start[found + 1] - grades.start[found]
        label = np.repeat(grades.start[found] - np.cumsum(n_labels) + n_labels, n_labels)
        label += np.arange(len(label))
        of = np.repeat(np.arange(len(found)), n_labels)
        at = place[grades.subtopic[label]]
        seen = at >= 0
        label, of, at = label[seen], of[seen], at[seen]
        grade[offset[at_list[of]] + at - begin[at_list[of]], at_column[of]] = grades.grade[label]
    return SubtopicBlock(
        rows, width, judged, owner, grade, grades.weight[subtopic], relevant[subtopic]
    )


def cascade(relevant: Bools, discount: Floats, alpha: float) -> Floats:
    """Sum over ranks r of J(r) (1 - alpha)^C(r-1) discount(r), for each row.

    C(r-1) is the number of relevant documents before rank r. It never falls when a document becomes
    relevant: what the later ones lose is at most the next discount.
    """
    row, column = np.nonzero(relevant)
    n = relevant.sum(axis=1)
    before = np.arange(len(row)) - np.repeat(np.cumsum(n) - n, n)
    worth = (1 - alpha) ** before * discount[column]
    total = np.bincount(row, weights=worth, minlength=len(relevant))
    return total.astype(np.float64, copy=False)


def ideal(discount: Floats, alpha: float) -> float:
    """What a list earns whose every document is relevant."""
    return float(np.cumsum((1 - alpha) ** np.arange(len(discount)) * discount)[-1])


def check_cascade(alpha: float, beta: float = 0.5) -> None:
    """A ValueError if a probability is none."""
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha}")
    if not 0 <= beta < 1:
        raise ValueError(f"beta must be at least 0 and below 1, not {beta}")
