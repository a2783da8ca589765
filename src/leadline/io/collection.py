"""A whole test collection: runs and judgments over the same pairs, and groups of runs."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from leadline.data.arrays import Bools, read_only
from leadline.data.judgments import Judgments
from leadline.data.labels import NO_LABEL
from leadline.data.pairs import Pairs
from leadline.data.pool import Pool, pool_depth
from leadline.data.runs import Runs
from leadline.data.subtopics import Subtopics
from leadline.io.documents import DocumentSource, documents_in
from leadline.io.inputs import RunNames, picked_names
from leadline.io.pool_csv import PoolInput, pool_over
from leadline.io.problems import InputError, Notices
from leadline.io.source import read_source, run_name
from leadline.io.tabular import read_table
from leadline.io.topics_seen import OddRuns, warn_ignored_topics

SCHEMA = {
    "run": pl.String,
    "group": pl.String,
    "type": pl.String,
    "pooled": pl.Boolean,
    "family": pl.String,
}
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}


@dataclass(frozen=True)
class _RunGroup:
    """What a line says of a run."""

    group: str
    type: str | None
    pooled: bool | None
    family: str | None = None


def read_groups(path: Path | None, runs: Sequence[str], notices: Notices) -> pl.DataFrame:
    """Columns run, group, type, pooled, family from groups.tsv; without it a run is its own group.

    A family are runs built on the same model, told where the table has a column of that name.
    The table calls a run by its name or by its file's. Where it marks runs as pooled, one that it
    does not name was not.
    """
    if path is None or not path.is_file():
        return pl.DataFrame(
            [(run, run, None, None, None) for run in runs], schema=SCHEMA, orient="row"
        )
    known = _groups(path)
    marked = any(group.pooled for group in known.values())
    rows = []
    for run in runs:
        told = known.get(run)
        if told is None:
            also = ", which counts as not pooled" if marked else ""
            message = f"does not name the group of {run}{also}"
            notices.add(str(path), "warning", "no-group", message)
            told = _RunGroup(run, None, False if marked else None)
        rows.append((run, told.group, told.type, told.pooled, told.family))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _groups(path: Path) -> dict[str, _RunGroup]:
    """What is said of each run, by its name."""
    table = read_table(read_source(path), "\t")
    group = next((name for name in ("group", "team") if name in table.columns), None)
    if "run" not in table.columns or group is None:
        columns = ", ".join(name for name in table.columns if name != "line")
        message = f"needs the columns run and group; found {columns}"
        raise InputError.of(str(path), "groups", message, 1)
    by_name: dict[str, _RunGroup] = {}
    by_file: dict[str, _RunGroup] = {}
    for row in table.iter_rows(named=True):
        word = row.get("pooled", "").strip().lower()
        if word not in _WORDS:
            message = f"pooled must be yes or no, found {row['pooled']!r}"
            raise InputError.of(str(path), "pooled", message, row["line"])
        name = row["run"]
        kind, family = row.get("type") or None, row.get("family") or None
        told = _RunGroup(row[group] or name, kind, _WORDS[word], family)
        if by_name.setdefault(name, told) != told:
            message = f"says something else of {name} than a line before"
            raise InputError.of(str(path), "conflict", message, row["line"])
        by_file.setdefault(run_name(name), told)
    return by_file | by_name


MOST_RUNS = 50
"""That a notebook shows of a collection."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Runs, judgments, and per run its group, type and whether it was pooled, where known.

    `judged_in` names the judgments; `left_out` are topics of runs of which nothing was judged.
    `groups` has the columns run, group, type, pooled, family; `reference` are other judgments of
    the same. `pool` is the pool that judgments were restricted to, if they were. `odd_runs` tells
    how the scores of the runs went, None where lists were taken as they are.
    """

    runs: Runs
    judgments: Judgments
    groups: pl.DataFrame
    subtopics: Subtopics | None
    notices: Notices
    folder: Path | None = None
    judged_in: str = "qrels"
    left_out: tuple[str, ...] = ()
    reference: Judgments | None = None
    pool: Pool | None = None
    odd_runs: OddRuns | None = None

    @cached_property
    def overview(self) -> pl.DataFrame:
        """Columns run, group, pooled, topics, documents, judged: what each run returns.

        Topics with a list, documents in all lists, and the share of them that is judged.
        """
        n = self.runs.length.sum(axis=1)
        seen = self.judgments.judged[self.runs.pair]
        judged = [int(part.sum()) for part in np.split(seen, np.cumsum(n)[:-1])]
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs.names, dtype=pl.String),
                "group": pl.Series(self.runs.group, dtype=pl.String),
                "pooled": self.pooled,
                "topics": (self.runs.length > 0).sum(axis=1),
                "documents": n,
                "judged": np.array(judged) / np.maximum(n, 1),
            }
        )

    def __repr__(self) -> str:
        runs, judgments = self.runs, self.judgments
        depth = "" if self.pool_depth is None else f", pooled to depth {self.pool_depth}"
        return (
            f"Collection of {len(runs.names):,} runs ({int(self.pooled.sum()):,} pooled), "
            f"{len(runs.pairs.topics):,} topics, {int(judgments.judged.sum()):,} judgments with "
            f"grades 0 to {judgments.max_grade}{depth}"
        )

    def _repr_html_(self) -> str:
        from markupsafe import Markup

        shown = self.overview.head(MOST_RUNS).with_columns(pl.col("judged").round(2))
        style = 'style="text-align:left;padding:.15em .7em"'
        cell, row = Markup(f"<td {style}>{{}}</td>"), Markup("<tr>{}</tr>")
        rows = Markup().join(
            row.format(Markup().join(map(cell.format, values))) for values in shown.iter_rows()
        )
        head = "".join(f"<th {style}>{name}</th>" for name in shown.columns)
        rest = len(self.overview) - len(shown)
        more = f"<p>and {rest:,} other runs</p>" if rest else ""
        table = f'<table style="margin:0 0 1em"><thead><tr>{head}</tr></thead>{rows}</table>'
        return Markup("<p>{}</p>").format(repr(self)) + Markup(table + more)

    @cached_property
    def pooled(self) -> Bools:
        """Which runs contributed to the pool: those marked in groups.tsv, all if none is."""
        marked = self.groups["pooled"].fill_null(False).to_numpy().astype(np.bool_)
        return read_only(marked if marked.any() else np.ones(len(marked), np.bool_))

    @cached_property
    def pool_depth(self) -> int | None:
        """The depth to which the pooled runs were pooled, by what was judged; None if none."""
        return pool_depth(self.runs, self.judgments, self.pooled)

    @cached_property
    def texts(self) -> DocumentSource | None:
        """The documents of the folder, where it has them."""
        return None if self.folder is None else documents_in(self.folder)

    def apart(self) -> "Collection":
        """A twin with notices of its own, so that what one verb adds does not reach the next."""
        twin = copy(self)
        own = replace(self.notices, problems=[*self.notices.problems])
        object.__setattr__(twin, "notices", own)
        return twin

    def inside(self, pool: Pool | PoolInput) -> "Collection":
        """This collection as if only the pool had been judged; an InputError if nothing was.

        Topics of which the pool holds no judgment are left out, as those without judgments always
        are, and said; not where the pool was drawn in batches, in which all topics had a chance.
        """
        if not isinstance(pool, Pool):
            pool = pool_over(self.runs.pairs, pool)
        judgments = pool.restrict(self.judgments)
        if not judgments.judged.any():
            raise InputError.of(self.judged_in, "pool", "has no judgment inside the pool")
        inside = replace(self.apart(), judgments=judgments, pool=pool)
        topics, judged = self.runs.pairs.topics, judgments.n_judged > 0
        if judged.all() or pool.batch is not None:
            return inside
        warn_ignored_topics(
            self.judged_in, [topics[at] for at in np.flatnonzero(~judged)], inside.notices
        )
        return inside.on(topics[at] for at in np.flatnonzero(judged))

    def on(self, topics: Iterable[str]) -> "Collection":
        """This collection on some of its topics."""
        chosen, old = set(topics), self.runs.pairs
        topic = np.array([name in chosen for name in old.topics], np.bool_)
        if topic.all():
            return self
        names = tuple(name for name in old.topics if name in chosen)
        return self._only_pairs(topic[old.topic], names, topic)

    def with_runs(self, names: RunNames) -> "Collection":
        """This collection with some of its runs, as if it had been read without the others."""
        kept = set(picked_names(names, self.runs.names, self.judged_in))
        mask = np.array([name in kept for name in self.runs.names], np.bool_)
        if mask.all():
            return self
        runs, pairs = self.runs.only(mask), self.runs.pairs
        needed = self.judgments.judged.copy()
        needed[runs.pair] = True
        if self.reference is not None:
            needed |= self.reference.judged
        if self.pool is not None:
            needed |= self.pool.member
        if pairs.labels is not None:
            needed |= (pairs.labels.grade != NO_LABEL).any(axis=0)
        odd = None if self.odd_runs is None else self.odd_runs.of(runs.names)
        some = replace(self.apart(), runs=runs, groups=self.groups.filter(mask), odd_runs=odd)
        gone = set(self.runs.names) - kept
        known = some.notices.problems
        known[:] = [problem for problem in known if problem.file not in gone]
        every = np.ones(len(pairs.topics), np.bool_)
        return some if needed.all() else some._only_pairs(needed, pairs.topics, every)

    def _only_pairs(self, inside: Bools, names: tuple[str, ...], topic: Bools) -> "Collection":
        """This collection without the other pairs; `names` are its topics in the mask `topic`."""
        old = self.runs.pairs
        number = np.cumsum(topic, dtype=np.int32) - 1
        labels = None if old.labels is None else old.labels.on(inside)
        pairs = Pairs(names, number[old.topic[inside]], old.held, old.at[inside], labels)
        new = np.cumsum(inside, dtype=np.int32) - 1
        was = self.runs
        # Lists lie run after run and topic after topic, so what is kept stays in order.
        entry = new[was.pair[inside[was.pair]]]
        runs = Runs.trusted(pairs, was.names, entry, was.length[:, topic], was.group)
        reference = None if self.reference is None else self.reference.on(pairs, inside)
        judgments = self.judgments.on(pairs, inside)
        pool = None if self.pool is None else self.pool.on(pairs, inside)
        return replace(self, runs=runs, judgments=judgments, reference=reference, pool=pool)

    def with_labels_as_judgments(self) -> "Collection":
        """This collection as if labels were judgments of the pairs that nobody judged.

        A label counts as its share of the judge's highest one, rounded to a grade of the scale.
        """
        was, pairs = self.judgments, self.runs.pairs
        if was.inclusion is not None:
            raise ValueError(
                "labels cannot stand beside sampled judgments: they would end the sample. Use "
                "`leadline estimate`, whose ModelAssisted takes both"
            )
        share = pairs.needed_labels.share
        filled = ~was.judged & ~np.isnan(share)
        grade = np.rint(np.nan_to_num(share) * was.max_grade).astype(np.int16)
        judged = was.judged | filled
        pooled = None if was.pooled is None else was.pooled | filled
        grades = np.where(filled, grade, was.grade)
        both = Judgments(pairs, judged, grades, pooled, max_grade=was.max_grade)
        return replace(self.apart(), judgments=both)

    def without_labels(self) -> "Collection":
        """This collection as if it had been read without labels."""
        pairs = replace(self.runs.pairs, labels=None)
        was, every = self.runs, np.ones(len(pairs), np.bool_)
        runs = Runs.trusted(pairs, was.names, was.pair, was.length, was.group)
        judgments = self.judgments.on(pairs, every)
        reference = None if self.reference is None else self.reference.on(pairs, every)
        pool = None if self.pool is None else self.pool.on(pairs, every)
        bare = self.apart()
        return replace(bare, runs=runs, judgments=judgments, reference=reference, pool=pool)

    def with_groups(self, path: Path) -> "Collection":
        """This collection with the groups of another table."""
        groups = read_groups(path, self.runs.names, self.notices)
        was = self.runs
        group = tuple(groups["group"].to_list())
        runs = Runs.trusted(was.pairs, was.names, was.pair, was.length, group)
        return replace(self, runs=runs, groups=groups)
