"""A collection read once, its pairs numbered while they are read: what every verb takes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from leadline.data.arrays import Bools, Int32s, Int64s, topic_order
from leadline.data.judgments import Judgments
from leadline.data.labels import NO_LABEL, NoisyLabels
from leadline.data.names import PADDING, Keys, Names, words_of
from leadline.data.pairs import Pairs
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.io.by_content import qrels_from
from leadline.io.chunks import Collapse, collapsed
from leadline.io.collection import Collection, read_groups
from leadline.io.formats import Reading, SecondField
from leadline.io.inputs import (
    NoisyJudge,
    RunNames,
    TopicNames,
    check_topics,
    collection_inputs,
    is_unjudged,
    names_after_folder,
    noisy_judges,
    picked_runs,
    runs_from,
    topic_names,
)
from leadline.io.pool_csv import PoolInput, PoolTable, drawn_in_batches
from leadline.io.problems import Progress
from leadline.io.qrels import Qrels
from leadline.io.rows import Rows, Ties, doc_keys, topic_keys
from leadline.io.run_stream import RunStream
from leadline.io.topics_seen import TopicsSeen, warn_unknown_topics
from leadline.io.validate_runs import CheckedRows, validate_runs
from leadline.registry import check_choice

_SEGMENT = 1 << 16
"""Rows looked up together: what is made of them stays in the cache."""

_FREE = -1
_ODD = np.uint64(0x9E3779B97F4A7C15)
_UPPER = np.uint64(32)
_MARGIN = len(PADDING) // 8
Array = TypeVar("Array", bound=np.ndarray[Any, Any])


class PairTable:
    """A hash table of (topic, doc), with a copy of every name that it holds.

    What a key finds is compared with the topic and the name before it counts as that pair, so keys
    that collide cost time and nothing else. Slots of one topic lie near each other, because lists
    come topic by topic. Pairs enter the slots only when some may come a second time.
    """

    def __init__(self, expected: int = 0) -> None:
        """`expected` pairs have room before anything is copied to make more."""
        self.n = 0
        # Of each pair topic and length in one number, the last and the first bytes of its name, and
        # where that begins: side by side, so that to compare them misses the cache once.
        self.record: Keys = np.empty((expected, 4), np.uint64)
        # Names begin where a word does, so that they are copied word by word.
        self.words: Keys = np.empty(expected + 2 * _MARGIN, np.uint64)
        self.words[:_MARGIN] = np.frombuffer(PADDING, np.uint64)
        self.end = _MARGIN
        self.n_topics = 1
        self.topic_key: Keys = np.zeros(0, np.uint64)
        self.met: Bools = np.zeros(0, np.bool_)
        self.slot: Int32s = np.zeros(0, np.int32)
        self.n_shares = 1
        self.n_in_slots = 0

    def __len__(self) -> int:
        return self.n

    @property
    def topic(self) -> Int32s:
        """The topic of every pair, in the order of their numbers; no copy."""
        topic: Int32s = self.record[: self.n].view("<i4")[:, 1]
        return topic

    @property
    def doc_name(self) -> Names:
        """The doc of every pair, in the order of their numbers; no copy."""
        record = self.record[: self.n]
        length: Any = record.view("<i4")[:, 0]
        names = Names(self.words.view(np.uint8), record.view(np.int64)[:, 3], length)
        # It would be read from the text again otherwise.
        names.__dict__["last"] = record[:, 1]
        return names

    def number(
        self, topic: Int32s, topic_key: Keys, n_rows: Int64s, doc: Names, pair_key: Keys
    ) -> Int32s:
        """The number of each row's pair, a new one where it has not come before.

        So many rows each have this topic and its key. No pair may come twice among the rows.
        """
        self.n_topics = n = max(self.n_topics, int(topic.max(initial=0)) + 1)
        self.met, self.topic_key = _grown(self.met, n), _grown(self.topic_key, n)
        met = self.met[topic].any()
        self.met[topic], self.topic_key[topic] = True, topic_key
        of_topic = np.repeat(topic.astype(np.uint64) << _UPPER, n_rows)
        numbers = [np.zeros(0, np.int32)]
        for first in range(0, len(doc), _SEGMENT):
            rows = slice(first, first + _SEGMENT)
            some = doc.gather(rows)
            shape = np.bitwise_or(of_topic[rows], some.length.view(np.uint64))
            if met:
                numbers.append(self._find(shape, some, pair_key[rows]))
            else:
                numbers.append(np.arange(self.n, self.n + len(some), dtype=np.int32))
                self._append(shape, some)
        return np.concatenate(numbers)

    def _find(self, shape: Keys, doc: Names, key: Keys) -> Int32s:
        self._make_slots(self.n + len(key))
        number = np.empty(len(key), np.int32)
        row: Int64s | slice = slice(None)
        slot, n_tried = self._slots(shape, key), 0
        while len(slot):
            held = self.slot[slot]
            free = np.flatnonzero(held == _FREE)
            if len(free):
                # Of several that want one slot the last gets it; the others see what is there now.
                self.slot[slot[free]] = free
                won = free[self.slot[slot[free]] == free]
                self.slot[slot[won]] = np.arange(self.n, self.n + len(won), dtype=np.int32)
                new = won if isinstance(row, slice) else row[won]
                self._append(shape[new], doc.gather(new))
                self.n_in_slots = self.n
                held[free] = self.slot[slot[free]]
            same = self._same(held, shape, doc, row)
            # Those that are not the same are written again later.
            number[row] = held
            other = np.flatnonzero(~same)
            row = other if isinstance(row, slice) else row[other]
            n_tried += 1
            slot = self._other_slots(slot[other], key[row], n_tried)
        return number

    def _same(self, held: Int32s, shape: Keys, doc: Names, row: Int64s | slice) -> Bools:
        """Whether each row's pair is the one that its slot holds."""
        found = self.record.take(held, axis=0, mode="clip")
        same: Bools = found[:, 0] == shape[row]
        same &= found[:, 1] == doc.last[row]
        same &= found[:, 2] == doc.first[row]
        if doc.length.max() > 16:
            # Of these more than the first and the last bytes must be compared.
            long = np.flatnonzero(same & (doc.length[row] > 16))
            some = doc.gather(long if isinstance(row, slice) else row[long])
            same[long] = some.equals(self.doc_name.gather(held[long]))
        return same

    def _slots(self, shape: Keys, key: Keys) -> Int64s:
        """Where each pair is looked for first: in its topic's share of the slots."""
        share = np.uint64(len(self.slot) // self.n_shares)
        slots = ((key >> _UPPER) * share) >> _UPPER
        # There may be more topics now than when the slots were made.
        slots += (shape >> _UPPER) % np.uint64(self.n_shares) * share
        return slots.view(np.int64)

    def _other_slots(self, slot: Int64s, key: Keys, n_tried: int) -> Int64s:
        """Where each pair is looked for next: beside that, then anywhere, lest shares overflow."""
        if n_tried == 1:
            return slot ^ 1
        mixed = (key ^ np.uint64(n_tried)) * _ODD
        return (((mixed >> _UPPER) * np.uint64(len(self.slot))) >> _UPPER).view(np.int64)

    def _append(self, shape: Keys, doc: Names) -> None:
        new = slice(self.n, self.n + len(doc))
        self.n += len(doc)
        self.record = _grown(self.record, self.n)
        n_words = (doc.length + 7) >> 3
        start = self.end + np.cumsum(n_words) - n_words
        self.end += int(n_words.sum())
        self.words = _grown(self.words, self.end + _MARGIN)
        word, most, least = words_of(doc.text), int(n_words.max()), int(n_words.min())
        for at in range(most):
            longer = slice(None) if at < least else np.flatnonzero(n_words > at)
            self.words[start[longer] + at] = word[doc.start[longer] + 8 * at]
        for field, column in enumerate((shape, doc.last, doc.first, 8 * start)):
            self.record[new, field] = column

    def _make_slots(self, n_pairs: int) -> None:
        """Bring all pairs into slots, a third of which stay free when there are so many of them."""
        if 3 * n_pairs > 2 * len(self.slot):
            self.n_shares = self.n_topics
            self.slot = np.full(2 * max(n_pairs, self.n_shares), _FREE, np.int32)
            self.n_in_slots = 0
        for first in range(self.n_in_slots, self.n, _SEGMENT):
            rows = slice(first, min(self.n, first + _SEGMENT))
            at = np.arange(rows.start, rows.stop, dtype=np.int32)
            key = doc_keys(self.doc_name.gather(at)) ^ self.topic_key[self.topic[rows]]
            slot, n_tried = self._slots(self.record[rows, 0], key), 0
            while len(at):
                free = np.flatnonzero(self.slot[slot] == _FREE)
                self.slot[slot[free]] = at[free]
                left = np.flatnonzero(self.slot[slot] != at)
                at, key = at[left], key[left]
                n_tried += 1
                slot = self._other_slots(slot[left], key, n_tried)
        self.n_in_slots = self.n


def _grown(array: Array, size: int) -> Array:
    """The same array with room for so many, and for as many again if it had to grow."""
    if size <= len(array):
        return array
    more: Any = np.zeros((max(size, 2 * len(array)), *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    grown: Array = more
    return grown


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
        labels: Sequence[NoisyJudge] = (),
    ) -> tuple[Runs, list[Judgments]]:
        """The runs, and judgments of the same pairs; nothing can be added after that."""
        judged = [self.judge(some) for some in qrels]
        labelled = [self.judge(judge.labels) for judge in labels]
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
            judges = tuple(judge.name for judge in labels)
            pairs = replace(pairs, labels=NoisyLabels(judges, grade.astype(np.int16)))
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


def read(
    qrels: Any,
    runs: Any = None,
    *,
    ties: Ties = "float32",
    skip_bad_lines: bool = False,
    second_field: SecondField | None = None,
    collapse: Collapse | None = None,
    chunks: Any = None,
    map_grades: Mapping[int, int] | None = None,
    topics: TopicNames = None,
    run_names: RunNames = None,
    pool: Pool | PoolInput | None = None,
    depth: int | None = None,
    reference: Any = None,
    labels: Any = None,
    folder: Path | None = None,
    subtopics: bool = False,
    unjudged_topics: bool = False,
    progress: Progress | None = None,
) -> Collection:
    """A collection folder, or qrels and runs in any form that `evaluate` takes, as a Collection.

    A Collection is given back, but for `topics`, `run_names`, `pool` and `depth`. A folder holds
    runs/NAME.gz, qrels.txt.gz (or qrels.ndeval.txt) and perhaps groups.tsv; `folder` is where that
    lies if the runs do not come as a folder. Only topics with judgments are kept, of these only
    `topics` if any are named, and of its runs only `run_names`, which are names or patterns such as
    bm25*; as `runs` they may follow a folder. `qrels` may be None, or "none", where nothing was
    judged yet: all topics of the runs are kept then, and with `unjudged_topics`, or a pool that was
    drawn from them in batches. With a `pool` only judgments inside it count. `depth` keeps no more
    than the first so many of each list. `reference` are other judgments of the same runs; `labels`
    are labels of one or several noisy judges in the form of qrels, evidence for models and never
    judgments. With `subtopics` the qrels must be ndeval's; a folder's qrels.ndeval.txt then comes
    before its qrels.txt.

    An InputError if a run has no topic in common with the judgments; what else it lacks is noticed:
    in the log "leadline", and in `notices`.

    >>> read({"1": {"a": 1}}, {"1": {"a": 9.0, "b": 8.0}}).runs.length.tolist()
    [[2]]
    """
    check_choice("ties", ties, Ties)
    chosen = topic_names(topics)
    if isinstance(qrels, Collection):
        given = {
            "runs": runs is not None,
            "reference": reference is not None,
            "skip_bad_lines": skip_bad_lines,
        }
        given |= {"labels": labels is not None}
        given |= {"ties": ties != "float32", "map_grades": bool(map_grades)}
        given |= {"second_field": second_field is not None, "collapse": collapse is not None}
        _refuse_late(name for name, said in given.items() if said)
        collection = qrels.apart()
        if chosen is not None:
            known = set(collection.runs.pairs.topics)
            warn_unknown_topics(collection.judged_in, chosen, known, collection.notices)
            collection = collection.on(chosen)
        if run_names is not None:
            collection = collection.with_runs(run_names)
    else:
        runs, run_names = names_after_folder(qrels, runs, run_names)
        check_choice("second_field", second_field or "ignore", SecondField)
        reading = Reading(
            skip_bad_lines, map_grades, subtopics=subtopics, second_field=second_field
        )
        if pool is not None and not isinstance(pool, Pool):
            pool = PoolTable.of(pool)
        every = unjudged_topics or (pool is not None and drawn_in_batches(pool))
        how = reading, ties, chosen, run_names, (collapse, chunks), every
        collection = _read(qrels, runs, *how, depth, reference, labels, folder, progress)
    if depth is not None:
        collection = replace(collection, runs=collection.runs.cut(depth))
    collection = collection if pool is None else collection.inside(pool)
    collection.notices.log()
    return collection


def _refuse_late(given: Iterable[str]) -> None:
    """An error if a collection that was read before comes with words about how to read it."""
    for name in given:
        raise ValueError(f"a Collection was read already: give `{name}` to leadline.read before")


def _read(
    qrels: Any,
    runs: Any,
    reading: Reading,
    ties: Ties,
    chosen: list[str] | None,
    run_names: RunNames,
    of_chunks: tuple[Collapse | None, Any],
    unjudged_topics: bool,
    depth: int | None,
    reference: Any,
    labels: Any,
    folder: Path | None,
    progress: Progress | None,
) -> Collection:
    if runs is None:
        files = collection_inputs(qrels, need_qrels=False, subtopics=reading.subtopics)
        folder, (qrels, runs) = Path(qrels), files
    elif is_unjudged(qrels, runs):
        qrels = None
    named = picked_runs(runs_from(runs, reading.notices), run_names, str(folder or ""))
    named = collapsed(named, *of_chunks, reading)
    # The first runs are read while the judgments are.
    stream = RunStream(named, ties)
    judged = None if qrels is None else qrels_from(qrels, reading)
    second = None if reference is None else qrels_from(reference, reading)
    labels = noisy_judges(labels, reading)
    known = None if judged is None or unjudged_topics else judged.judged_topics
    if judged is not None and known is not None and chosen is not None:
        warn_unknown_topics(judged.name, chosen, set(known), reading.notices)
        known = [topic for topic in known if topic in set(chosen)]
    docs = None if judged is None else judged.doc
    looked_for = judged.judged_topics if judged is not None and unjudged_topics else ()
    name = "" if judged is None else judged.name
    seen = TopicsSeen(known, name, chosen, docs, looked_for)
    lists = NumberedLists(seen, depth, max(run.size for run in named))
    left_out: dict[str, None] = {}
    for checked in validate_runs(stream, reading, seen, lists.add, progress):
        lists.keep(checked.results, len(checked.names))
        left_out.update(dict.fromkeys(topic for run in checked.topics for topic in run.unjudged))
    seen.report(reading.notices, "lowest", "ignore")
    if known is None and chosen is not None:
        warn_unknown_topics("", chosen, set(seen.judged), reading.notices)
    check_topics(labels, seen.judged)
    names = tuple(run.name for run in named)
    table = None if folder is None else folder / "groups.tsv"
    groups = read_groups(table, names, reading.notices)
    qrels_read = [Qrels.nothing() if judged is None else judged]
    qrels_read += [] if second is None else [second]
    in_runs, judgments = lists.tables(names, tuple(groups["group"]), qrels_read, labels)
    return Collection(
        in_runs,
        judgments[0],
        groups,
        qrels_read[0].subtopics,
        reading.notices,
        folder,
        qrels_read[0].name,
        tuple(left_out),
        None if second is None else judgments[1],
        odd_runs=None if ties == "file-order" else seen.odd_runs,
    )
