"""A collection read once: what every verb takes, with the checks and notices of all of them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline.collection.cheap_judges import cheap_judges, check_topics
from leadline.collection.checked_runs import checked_runs
from leadline.collection.collection import Collection
from leadline.collection.groups import read_groups
from leadline.collection.inputs import (
    TopicNames,
    collection_inputs,
    is_unjudged,
    runs_from,
    topic_names,
)
from leadline.collection.numbered_lists import NumberedLists
from leadline.collection.run_stream import RunStream
from leadline.collection.topics_seen import TopicsSeen, say_unknown
from leadline.files.problems import Progress
from leadline.formats.by_content import qrels_from
from leadline.formats.pool_csv import PoolInput, PoolTable, drawn_in_batches
from leadline.formats.qrels import Qrels
from leadline.formats.ranking import Ranks
from leadline.formats.read_options import Reading
from leadline.naming.choice import check_choice
from leadline.tables.pool import Pool


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
    cheap: Any = None,
    folder: Path | None = None,
    subtopics: bool = False,
    unjudged_topics: bool = False,
    progress: Progress | None = None,
) -> Collection:
    """A collection folder, or qrels and runs in any form that `evaluate` takes, as a Collection.

    A Collection is given back, but for `topics`, `pool` and `depth`. A folder holds
    runs/NAME.gz, qrels.txt.gz (or qrels.ndeval.txt) and perhaps groups.tsv; `folder` is where that
    lies if the runs do not come as a folder. Only topics with judgments are kept, of these only
    `topics` if any are named. `qrels` may be None, or "none", where nothing was judged yet: all
    topics of the runs are kept then, and with `unjudged_topics`, or a pool that was drawn from them
    in batches. With a `pool` only judgments inside it count. `depth` keeps no more than the first
    so many of each list. `trusted` are other judgments of the same runs; `cheap` are labels of
    one or several cheap judges in the form of qrels, evidence for models and never judgments. With
    `subtopics` the qrels must be ndeval's; a folder's qrels.ndeval.txt then comes before its
    qrels.txt.

    An InputError if a run has no topic in common with the judgments; what else it lacks is noticed:
    in the log "leadline", and in `notices`.

    >>> read({"1": {"a": 1}}, {"1": {"a": 9.0, "b": 8.0}}).runs.length.tolist()
    [[2]]
    """
    check_choice("ranks", ranks, Ranks)
    chosen = topic_names(topics)
    if isinstance(qrels, Collection):
        given = {"runs": runs is not None, "trusted": trusted is not None, "lenient": lenient}
        given |= {"cheap": cheap is not None}
        given |= {"ranks": ranks != "score", "map_grades": bool(map_grades)}
        _refuse_late(name for name, said in given.items() if said)
        collection = qrels.apart()
        if chosen is not None:
            known = set(collection.runs.pairs.topics)
            say_unknown(collection.judged_in, chosen, known, collection.notices)
            collection = collection.on(chosen)
    else:
        reading = Reading(lenient, map_grades, subtopics=subtopics)
        if pool is not None and not isinstance(pool, Pool):
            pool = PoolTable.of(pool)
        every = unjudged_topics or (pool is not None and drawn_in_batches(pool))
        how = reading, ranks, chosen, every
        collection = _read(qrels, runs, *how, depth, trusted, cheap, folder, progress)
    if depth is not None:
        collection = replace(collection, runs=collection.runs.cut(depth))
    collection = collection if pool is None else collection.inside(pool)
    collection.notices.tell()
    return collection


def _refuse_late(given: Iterable[str]) -> None:
    """An error if a collection that was read before comes with words about how to read it."""
    for name in given:
        raise ValueError(f"a Collection was read already: give `{name}` to leadline.read before")


def _read(
    qrels: Any,
    runs: Any,
    reading: Reading,
    ranks: Ranks,
    chosen: list[str] | None,
    unjudged_topics: bool,
    depth: int | None,
    trusted: Any,
    cheap: Any,
    folder: Path | None,
    progress: Progress | None,
) -> Collection:
    if runs is None:
        files = collection_inputs(qrels, need_qrels=False, subtopics=reading.subtopics)
        folder, (qrels, runs) = Path(qrels), files
    elif is_unjudged(qrels, runs):
        qrels = None
    named = runs_from(runs, reading.notices)
    # The first runs are read while the judgments are.
    stream = RunStream(named, ranks)
    judged = None if qrels is None else qrels_from(qrels, reading)
    second = None if trusted is None else qrels_from(trusted, reading)
    labels = cheap_judges(cheap, reading)
    known = None if judged is None or unjudged_topics else judged.judged_topics
    if judged is not None and known is not None and chosen is not None:
        say_unknown(judged.name, chosen, set(known), reading.notices)
        known = [topic for topic in known if topic in set(chosen)]
    docs = None if judged is None else judged.doc
    looked_for = judged.judged_topics if judged is not None and unjudged_topics else ()
    name = "" if judged is None else judged.name
    seen = TopicsSeen(known, name, chosen, docs, looked_for)
    lists = NumberedLists(seen, depth, max(run.size for run in named))
    left_out: dict[str, None] = {}
    for checked in checked_runs(stream, reading, seen, lists.add, progress):
        lists.keep(checked.results, len(checked.names))
        left_out.update(dict.fromkeys(topic for run in checked.topics for topic in run.unjudged))
    seen.report(reading.notices, "lowest", "ignore")
    if known is None and chosen is not None:
        say_unknown("", chosen, set(seen.judged), reading.notices)
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
        odd_runs=None if ranks == "listed" else seen.odd_runs,
    )
