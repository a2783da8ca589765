"""A whole test collection: runs and judgments over the same pairs, read from a folder or given."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadline.collection.inputs import collection_inputs, qrels_from, runs_from
from leadline.collection.key_table import KeyTable
from leadline.files.problems import InputError, Notices
from leadline.formats.qrels import Qrels
from leadline.formats.ranking import Ranks, rank, say_float32_ties
from leadline.formats.read_options import Reading
from leadline.formats.rows import Rows, doc_keys, topic_keys
from leadline.tables.arrays import Int32s
from leadline.tables.judgments import Judgments
from leadline.tables.names import Keys
from leadline.tables.pairs import Pairs
from leadline.tables.runs import Runs
from leadline.tables.subtopics import Subtopics
from leadline.tables.topic_order import topic_order


@dataclass(frozen=True, eq=False)
class Collection:
    """Runs, judgments, and per run its group, type and whether it was pooled, where known.

    `judged_in` names the judgments; `left_out` are topics of runs of which nothing was judged.
    """

    runs: Runs
    judgments: Judgments
    groups: pl.DataFrame
    subtopics: Subtopics | None
    notices: Notices
    folder: Path | None = None
    judged_in: str = "qrels"
    left_out: tuple[str, ...] = ()
    trusted: Judgments | None = None


def read_collection(
    qrels: Any,
    runs: Any = None,
    *,
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    trusted: Any = None,
    folder: Path | None = None,
    subtopics: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Collection:
    """A collection folder, or qrels and runs in any form that `evaluate` takes.

    A folder holds runs/NAME.gz, qrels.txt.gz (or qrels.ndeval.txt) and perhaps groups.tsv. Only
    topics with judgments are kept. `qrels` may be None where nothing was judged yet: all topics of
    the runs are kept then. `trusted` are other judgments of the same runs, over the same pairs.
    `folder` is where groups.tsv lies if the runs do not come as a folder. With `subtopics` the
    qrels must be ndeval's; a folder's qrels.ndeval.txt then comes before its qrels.txt.
    """
    reading = Reading(lenient, map_grades, subtopics=subtopics)
    if runs is None:
        folder = Path(qrels)
        qrels, runs = collection_inputs(folder, need_qrels=False, subtopics=subtopics)
    judged = Qrels.nothing() if qrels is None else qrels_from(qrels, reading)
    named = runs_from(runs)
    known = None
    if qrels is not None:
        known = topic_order(judged.frame.drop_nulls("grade")["topic"].unique().to_list())
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
        known = topic_order({topic for part in parts for topic in part.length})
    second = None if trusted is None else qrels_from(trusted, reading)
    pairs, entries = _pairs([judged] if second is None else [judged, second], known, parts)
    names = tuple(run.name for run in named)
    table = None if folder is None else folder / "groups.tsv"
    groups = read_groups(table, names, reading.notices)
    length = np.array([[part.length.get(topic, 0) for topic in known] for part in parts])
    length = length.reshape(len(parts), len(known))
    stop = length.cumsum().reshape(length.shape)
    group = tuple(groups["group"].to_list())
    return Collection(
        Runs(pairs, names, np.concatenate(entries), stop - length, stop, group),
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


def with_groups(read: Collection, path: Path) -> Collection:
    """The same collection with the groups of another table."""
    groups = read_groups(path, read.runs.names, read.notices)
    was = read.runs
    group = tuple(groups["group"].to_list())
    runs = Runs(was.pairs, was.names, was.pair, was.start, was.stop, group)
    return replace(read, runs=runs, groups=groups)


def read_groups(path: Path | None, runs: tuple[str, ...], notices: Notices) -> pl.DataFrame:
    """Columns run, group, type, pooled from groups.tsv; without it a run is its own group."""
    alone = pl.DataFrame({"run": runs}, schema={"run": pl.String}).with_columns(
        group=pl.col("run"), type=pl.lit(None, pl.String), pooled=pl.lit(None, pl.Boolean)
    )
    if path is None or not path.is_file():
        return alone
    table = pl.read_csv(path, separator="\t", infer_schema=False)
    group = next((name for name in ("group", "team") if name in table.columns), None)
    if "run" not in table.columns or group is None:
        message = f"needs the columns run and group; found {', '.join(table.columns)}"
        raise InputError.of(os.fspath(path), "groups", message)
    kind = pl.col("type") if "type" in table.columns else pl.lit(None, pl.String)
    pooled = pl.lit(None, pl.Boolean)
    if "pooled" in table.columns:
        pooled = pl.col("pooled").str.to_lowercase().is_in(["yes", "true", "1"])
    known = table.select("run", group=pl.col(group), type=kind, pooled=pooled).unique("run")
    joined = alone.select("run").join(known, on="run", how="left", maintain_order="left")
    unknown = joined.filter(pl.col("group").is_null())["run"].to_list()
    for run in unknown:
        notices.add(os.fspath(path), "warning", "no-group", f"does not name the group of {run}")
    return joined.with_columns(pl.col("group").fill_null(pl.col("run")))
