"""Runs and judgments over pairs that are numbered while they are read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from leadline.collection.cheap_judges import CheapJudge
from leadline.collection.checked_runs import CheckedRows
from leadline.collection.pair_table import PairTable
from leadline.collection.topics_seen import TopicsSeen
from leadline.formats.qrels import Qrels
from leadline.formats.rows import Rows, doc_keys, topic_keys
from leadline.tables.arrays import Int32s, Int64s
from leadline.tables.cheap_labels import NO_LABEL, CheapLabels
from leadline.tables.judgments import Judgments
from leadline.tables.pairs import Pairs
from leadline.tables.runs import Runs
from leadline.tables.topic_order import topic_order

_LINE = 32
"""Bytes of a line, about: to guess how many pairs there will be."""


@dataclass(frozen=True, eq=False)
class SomeLists:
    """Lists one after the other: run, topic and length of each, and the pairs of all."""

    run: Int64s
    topic: Int64s
    length: Int64s
    pair: Int32s


@dataclass(frozen=True, eq=False)
class _NumberedQrels:
    """The entries of qrels whose topics count, and the pair of each."""

    qrels: Qrels
    entry: Int64s
    pair: Int32s

    def over(self, pairs: Pairs, number: Int32s) -> Judgments:
        """As judgments; pair i has become `number[i]` of these."""
        pair, qrels = number[self.pair], self.qrels
        known = qrels.judged[self.entry]
        judged, pooled = (np.zeros(len(pairs), np.bool_) for _ in range(2))
        grade = np.zeros(len(pairs), np.int16)
        judged[pair], grade[pair], pooled[pair] = known, qrels.grade[self.entry], True
        inclusion = stratum = None
        if qrels.inclusion is not None:
            share = qrels.inclusion[self.entry]
            if not np.isnan(share).all():
                inclusion = np.zeros(len(pairs))
                inclusion[pair] = np.where(np.isnan(share), 1.0, share)
        if qrels.stratum is not None and (qrels.stratum[self.entry] >= 0).any():
            stratum = np.full(len(pairs), -1, np.int16)
            stratum[pair] = qrels.stratum[self.entry]
        pool = None if known.all() else pooled
        return Judgments(pairs, judged, grade, pool, inclusion, stratum, qrels.max_grade)


class NumberedLists:
    """Lists of runs as they come, no deeper than is asked for, on the topics that count.

    Pairs get their numbers as they come too. In the end they are numbered by topic and name, so
    that the order of the runs changes nothing.
    """

    def __init__(self, seen: TopicsSeen, depth: int | None = None, largest: int = 0) -> None:
        """`largest` is the size of the largest file, in bytes."""
        self.seen = seen
        self.depth = depth
        self.table = PairTable(largest // _LINE if depth is None else 0)
        self.kept: list[SomeLists] = []
        self.n_runs = 0

    def add(self, part: CheckedRows) -> SomeLists:
        """The lists of some rows, their runs counted from 0."""
        rows, ranking = part.rows, part.ranking
        names, number = rows.topics
        of_stretch = self.seen.numbers(names)[number]
        first = ranking.first_row()
        run, topic = rows.run_of(first), of_stretch[rows.stretch_of(first)]
        start, length = ranking.start, ranking.stop - ranking.start
        if self.depth is None and (topic >= 0).all():
            pair = self._pairs(rows, of_stretch, None)
            return SomeLists(run, topic, length, ranking.arrange(pair))
        known = np.flatnonzero(topic >= 0)
        run, topic, start, length = run[known], topic[known], start[known], length[known]
        if self.depth is not None:
            length = np.minimum(length, self.depth)
        place = _positions(start, length)
        row = ranking.arrange(np.arange(len(rows)))[place]
        pair = np.empty(len(rows), np.int32)
        in_file = np.sort(row)
        pair[in_file] = self._pairs(rows, of_stretch, in_file)
        return SomeLists(run, topic, length, pair[row])

    def _pairs(self, rows: Rows, topic: Int64s, row: Int64s | None) -> Int32s:
        """The pair of every row, or of some rows, in the order of the file."""
        starts, runs = np.append(rows.starts, len(rows)), np.append(rows.run_start, len(rows))
        doc, key = rows.doc, rows.pair_key
        if row is not None:
            starts, runs = np.searchsorted(row, starts), np.searchsorted(row, runs)
            doc, key = doc.gather(row), key[row]
        n_rows = np.diff(starts)
        some = np.flatnonzero(n_rows)
        pairs = [np.zeros(0, np.int32)]
        # Run by run, because two runs return the same pairs and one run never does.
        for first, last in pairwise(runs.tolist()):
            of_run = some[slice(*np.searchsorted(starts[some], [first, last]))]
            numbers = self.table.number(
                topic[of_run].astype(np.int32),
                rows.topic_key[of_run],
                n_rows[of_run],
                doc.gather(slice(first, last)),
                key[first:last],
            )
            pairs.append(numbers)
        return np.concatenate(pairs)

    def keep(self, lists: list[SomeLists], n_runs: int) -> None:
        """The lists of the runs that come next, so many of them."""
        self.kept += [replace(some, run=some.run + self.n_runs) for some in lists]
        self.n_runs += n_runs

    def judge(self, qrels: Qrels) -> _NumberedQrels:
        """The pairs of judgments, on the topics that count."""
        starts, names = qrels.stretches
        topic = self.seen.numbers(names.to_list())
        n_entries = np.diff(np.append(starts, len(qrels.grade)))
        entry = np.flatnonzero(np.repeat(topic >= 0, n_entries))
        known = np.flatnonzero(topic >= 0)
        key, doc = topic_keys(names)[known], qrels.doc.gather(entry)
        of_entries, n_entries = topic[known].astype(np.int32), n_entries[known]
        pair_key = doc_keys(doc) ^ np.repeat(key, n_entries)
        pair = self.table.number(of_entries, key, n_entries, doc, pair_key)
        return _NumberedQrels(qrels, entry, pair)

    def tables(
        self,
        names: tuple[str, ...],
        group: tuple[str, ...],
        qrels: list[Qrels],
        cheap: Sequence[CheapJudge] = (),
    ) -> tuple[Runs, list[Judgments]]:
        """The runs, and judgments of the same pairs; nothing can be added after that."""
        judged = [self.judge(some) for some in qrels]
        labelled = [self.judge(judge.labels) for judge in cheap]
        topics = topic_order(self.seen.judged)
        place = {topic: at for at, topic in enumerate(topics)}
        moved = np.array([place[topic] for topic in self.seen.judged], np.int32)
        topic = self.table.topic if topics == self.seen.judged else moved[self.table.topic]
        pairs, number = Pairs.numbered(topics, topic, self.table.doc_name)
        # Sorting was in need of it; it is read from the text again where names are compared.
        del pairs.held.__dict__["last"]
        if labelled:
            given = [some.over(pairs, number) for some in labelled]
            grade = np.stack([np.where(some.judged, some.grade, NO_LABEL) for some in given])
            judges = tuple(judge.name for judge in cheap)
            pairs = replace(pairs, cheap=CheapLabels(judges, grade.astype(np.int16)))
        # It holds as much memory as the pairs themselves.
        self.table = PairTable()
        length = np.zeros((self.n_runs, len(topics)), np.int64)
        for lists in self.kept:
            length[lists.run, moved[lists.topic]] = lists.length
        start = (length.cumsum() - length.ravel()).reshape(length.shape)
        pair = np.empty(int(length.sum()), np.int32)
        for lists in self.kept:
            to = start[lists.run, moved[lists.topic]]
            pair[_positions(to, lists.length)] = number[lists.pair]
        self.kept.clear()
        runs = Runs.trusted(pairs, names, pair, length, group)
        return runs, [some.over(pairs, number) for some in judged]


def _positions(start: Int64s, length: Int64s) -> Int64s:
    """The positions in lists that begin there and are so long, list after list."""
    before = np.cumsum(length) - length
    positions: Int64s = np.arange(int(length.sum())) + np.repeat(start - before, length)
    return positions
