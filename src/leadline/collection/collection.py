"""A whole test collection: runs and judgments over the same pairs, read from a folder or given."""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path

import numpy as np
import polars as pl

from leadline.collection.groups import read_groups
from leadline.collection.odd_runs import OddRuns
from leadline.collection.topics_seen import say_ignored
from leadline.files.problems import InputError, Notices
from leadline.formats.document_files import DocumentSource, documents_in
from leadline.formats.pool_csv import PoolInput, pool_over
from leadline.tables.arrays import Bools, read_only
from leadline.tables.judgments import Judgments
from leadline.tables.pairs import Pairs
from leadline.tables.pool import Pool
from leadline.tables.pool_depth import pool_depth
from leadline.tables.runs import Runs
from leadline.tables.subtopics import Subtopics

MOST_RUNS = 50
"""That a notebook shows of a collection."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Runs, judgments, and per run its group, type and whether it was pooled, where known.

    `judged_in` names the judgments; `left_out` are topics of runs of which nothing was judged.
    `groups` has the columns run, group, type, pooled, family; `trusted` are other judgments of the
    same. `pool` is the pool that judgments were restricted to, if they were. `odd_runs` tells how
    the scores of the runs went, None where lists were taken as they are.
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
        shown = self.overview.head(MOST_RUNS).with_columns(pl.col("judged").round(2))
        style = 'style="text-align:left;padding:.15em .7em"'
        rows = "".join(
            "<tr>" + "".join(f"<td {style}>{escape(str(cell))}</td>" for cell in row) + "</tr>"
            for row in shown.iter_rows()
        )
        head = "".join(f"<th {style}>{name}</th>" for name in shown.columns)
        rest = len(self.overview) - len(shown)
        more = f"<p>and {rest:,} other runs</p>" if rest else ""
        table = f'<table style="margin:0 0 1em"><thead><tr>{head}</tr></thead>{rows}</table>'
        return f"<p>{escape(repr(self))}</p>{table}{more}"

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
        say_ignored(self.judged_in, [topics[at] for at in np.flatnonzero(~judged)], inside.notices)
        return inside.on(topics[at] for at in np.flatnonzero(judged))

    def on(self, topics: Iterable[str]) -> "Collection":
        """This collection on some of its topics."""
        chosen, old = set(topics), self.runs.pairs
        topic = np.array([name in chosen for name in old.topics], np.bool_)
        if topic.all():
            return self
        inside = topic[old.topic]
        number = np.cumsum(topic, dtype=np.int32) - 1
        names = tuple(name for name in old.topics if name in chosen)
        cheap = None if old.cheap is None else old.cheap.on(inside)
        pairs = Pairs(names, number[old.topic[inside]], old.held, old.at[inside], cheap)
        new = np.cumsum(inside, dtype=np.int32) - 1
        was = self.runs
        # Lists lie run after run and topic after topic, so what is kept stays in order.
        entry = new[was.pair[inside[was.pair]]]
        runs = Runs.trusted(pairs, was.names, entry, was.length[:, topic], was.group)
        trusted = None if self.trusted is None else self.trusted.on(pairs, inside)
        judgments = self.judgments.on(pairs, inside)
        pool = None if self.pool is None else self.pool.on(pairs, inside)
        return replace(self, runs=runs, judgments=judgments, trusted=trusted, pool=pool)

    def with_groups(self, path: Path) -> "Collection":
        """This collection with the groups of another table."""
        groups = read_groups(path, self.runs.names, self.notices)
        was = self.runs
        group = tuple(groups["group"].to_list())
        runs = Runs.trusted(was.pairs, was.names, was.pair, was.length, group)
        return replace(self, runs=runs, groups=groups)
