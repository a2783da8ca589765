"""A collection read once: what every verb takes, with the checks and notices of all of them."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.groups import read_groups
from leadline.collection.inputs import (
    TopicNames,
    collection_inputs,
    runs_from,
    topic_names,
)
from leadline.collection.key_table import KeyTable
from leadline.collection.topics_seen import RunTopics, TopicsSeen, say_unknown
from leadline.formats.by_content import qrels_from
from leadline.formats.pool_csv import PoolInput
from leadline.formats.qrels import Qrels
from leadline.formats.ranking import Ranks, rank, say_float32_ties
from leadline.formats.read_options import Reading
from leadline.formats.rows import Rows, doc_keys, topic_keys
from leadline.tables.arrays import Int32s
from leadline.tables.judgments import Judgments
from leadline.tables.names import Keys
from leadline.tables.pairs import Pairs
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.topic_order import topic_order


def read(
    qrels: Any,
    runs: Any = None,
    *,
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    topics: TopicNames = None,
    pool: Pool | PoolInput | None = None,
    depth: int | None = None,
    trusted: Any = None,
    folder: Path | None = None,
    subtopics: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Collection:
    """A collection folder, or qrels and runs in any form that `evaluate` takes, as a Collection.

    A Collection is given back as it is, but for `topics`, `pool` and `depth`. A folder holds
    runs/NAME.gz, qrels.txt.gz (or qrels.ndeval.txt) and perhaps groups.tsv; `folder` is where that
    lies if the runs do not come as a folder. Only topics with judgments are kept, of these only
    `topics` if any are named. `qrels` may be None where nothing was judged yet: all topics of the
    runs are kept then. With a `pool` only judgments inside it count. `depth` keeps no more than the
    first so many of each list. `trusted` are other judgments of the same runs. With `subtopics` the
    qrels must be ndeval's; a folder's qrels.ndeval.txt then comes before its qrels.txt.

    An InputError if a run has no topic in common with the judgments; what else it lacks is noticed.

    >>> read({"1": {"a": 1}}, {"1": {"a": 9.0, "b": 8.0}}).runs.length.tolist()
    [[2]]
    """
    chosen = topic_names(topics)
    if isinstance(qrels, Collection):
        collection = qrels if chosen is None else _on(qrels, chosen)
    else:
        reading = Reading(lenient, map_grades, subtopics=subtopics)
        collection = _read(qrels, runs, reading, ranks, chosen, trusted, folder, progress)
    if depth is not None:
        collection = replace(collection, runs=collection.runs.cut(depth))
    return collection if pool is None else collection.inside(pool)


def _on(collection: Collection, chosen: list[str]) -> Collection:
    known = set(collection.runs.pairs.topics)
    say_unknown(collection.judged_in, chosen, known, collection.notices)
    return collection.on(chosen)


def _read(
    qrels: Any,
    runs: Any,
    reading: Reading,
    ranks: Ranks,
    chosen: list[str] | None,
    trusted: Any,
    folder: Path | None,
    progress: Callable[[int, int], None] | None,
) -> Collection:
    if runs is None:
        folder = Path(qrels)
        qrels, runs = collection_inputs(folder, need_qrels=False, subtopics=reading.subtopics)
    judged = Qrels.nothing() if qrels is None else qrels_from(qrels, reading)
    named = runs_from(runs)
    known = None
    if qrels is not None:
        known = topic_order(judged.frame.drop_nulls("grade")["topic"].unique().to_list())
        if chosen is not None:
            say_unknown(judged.name, chosen, set(known), reading.notices)
            known = [topic for topic in known if topic in set(chosen)]
    parts = []
    with ThreadPoolExecutor(1) as reader:
        # One run is read while the last one is ranked, and never more than one.
        ahead = reader.submit(named[0].rows, reading)
        for number in range(len(named)):
            rows = ahead.result()
            if number + 1 < len(named):
                ahead = reader.submit(named[number + 1].rows, reading)
            parts.append(_Part.of(rows, ranks, known))
            say_float32_ties(named[number].name, parts[-1].n_made, reading.notices)
            if progress is not None:
                progress(number + 1, len(named))
    if known is None:
        found = {topic for part in parts for topic in part.length}
        if chosen is not None:
            say_unknown("", chosen, found, reading.notices)
            found &= set(chosen)
        known = topic_order(found)
    elif parts:
        place = {topic: at for at, topic in enumerate(known)}
        seen = TopicsSeen(tuple(known), judged.name, chosen)
        for run, part in zip(named, parts, strict=True):
            of_run = frozenset(place[topic] for topic in part.length)
            seen.add(run.name, RunTopics(of_run, part.left_out), reading.notices)
        seen.report(reading.notices, "lowest", "ignore")
    second = None if trusted is None else qrels_from(trusted, reading)
    pairs, entries = _pairs([judged] if second is None else [judged, second], known, parts)
    names = tuple(run.name for run in named)
    groups = read_groups(None if folder is None else folder / "groups.tsv", names, reading.notices)
    length = np.array([[part.length.get(topic, 0) for topic in known] for part in parts])
    length = length.reshape(len(parts), len(known))
    return Collection(
        Runs.trusted(pairs, names, np.concatenate(entries), length, tuple(groups["group"])),
        _judgments(pairs, judged),
        groups,
        judged.subtopics,
        reading.notices,
        folder,
        judged.name,
        tuple(dict.fromkeys(topic for part in parts for topic in part.left_out)),
        None if second is None else _judgments(pairs, second),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """A run's entries in rank order, topic after topic, with the length of each topic's list.

    `left_out` are its topics that do not count, `n_made` its ties that only rounding made.
    """

    key: Keys
    length: dict[str, int]
    pairs: pl.DataFrame
    left_out: list[str]
    n_made: int

    @classmethod
    def of(cls, rows: Rows, ranks: Ranks, topics: list[str] | None) -> "_Part":
        """The entries on these topics, on all without."""
        ranking = rank(rows, ranks)
        names = rows.topic.gather(rows.stretch_of(ranking.first_row())).to_list()
        place = {topic: at for at, topic in enumerate(topics or topic_order(names))}
        order = sorted((place[name], at) for at, name in enumerate(names) if name in place)
        lists = [(names[at], int(ranking.start[at]), int(ranking.stop[at])) for _, at in order]
        length = {name: stop - start for name, start, stop in lists}
        position = np.concatenate(
            [np.zeros(0, np.int64), *(np.arange(start, stop) for _, start, stop in lists)]
        )
        row = ranking.arrange(np.arange(len(rows)))[position]
        frame = pl.DataFrame(
            {
                "topic": rows.topic.series.gather(rows.stretch_of(row)),
                "doc": rows.doc.series.gather(row),
                "pair_key": rows.pair_key[row],
            }
        )
        left_out = [name for name in names if name not in place]
        return cls(rows.pair_key[row], length, frame, left_out, len(ranking.made))

    def holds(self, pairs: Pairs, pair: Int32s) -> bool:
        """Whether these are the pairs of the entries, by name."""
        topics = pl.Series(pairs.topics, dtype=pl.String)
        same_topic = self.pairs["topic"] == topics.gather(pairs.topic[pair])
        return bool((same_topic & (self.pairs["doc"] == pairs.docs.gather(pairs.doc[pair]))).all())


def _pairs(
    judged: list[Qrels], topics: list[str], parts: list[_Part]
) -> tuple[Pairs, list[Int32s]]:
    """All pairs, and the pair of every entry of every run."""
    frames = [
        qrels.frame.select("topic", "doc")
        .with_columns(pair_key=topic_keys(qrels.topic) ^ doc_keys(qrels.doc))
        .filter(pl.col("topic").is_in(topics))
        for qrels in judged
    ]
    frames += [part.pairs for part in parts]
    # Told apart by key, which is far cheaper than by name, and checked by name afterwards.
    distinct = pl.concat(frames).unique("pair_key", keep="any")
    pairs, at = Pairs.numbered(distinct.select("topic", "doc"), topics)
    order = np.argsort(distinct["pair_key"].to_numpy())
    key, number = distinct["pair_key"].to_numpy()[order], at[order]
    table = KeyTable(key)
    entries = [number[table.find(part.key)[1]] for part in parts]
    if all(part.holds(pairs, pair) for part, pair in zip(parts, entries, strict=True)):
        return pairs, entries
    everything = pl.concat([frame.select("topic", "doc") for frame in frames])
    pairs = Pairs.of(everything["topic"], everything["doc"], topics)
    return pairs, [pairs.find(part.pairs["topic"], part.pairs["doc"]) for part in parts]


def _judgments(pairs: Pairs, judged: Qrels) -> Judgments:
    at = pairs.find(judged.frame["topic"], judged.frame["doc"])
    frame = judged.frame.filter(pl.Series(at >= 0))
    at = at[at >= 0]
    known = frame["grade"].is_not_null().to_numpy()
    is_judged, pooled = (np.zeros(len(pairs), np.bool_) for _ in range(2))
    grade = np.zeros(len(pairs), np.int16)
    is_judged[at[known]] = True
    grade[at[known]] = frame["grade"].drop_nulls().to_numpy()
    pooled[at] = True
    inclusion = None
    if frame["inclusion"].null_count() < len(frame):
        inclusion = np.zeros(len(pairs))
        inclusion[at] = frame["inclusion"].fill_null(1.0).to_numpy()
    stratum = None
    if frame["stratum"].null_count() < len(frame):
        stratum = np.full(len(pairs), -1, np.int16)
        stratum[at] = frame["stratum"].fill_null(-1).to_numpy()
    return Judgments(
        pairs,
        is_judged,
        grade,
        pooled if not known.all() else None,
        inclusion,
        stratum,
        max_grade=judged.max_grade,
    )
