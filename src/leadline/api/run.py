"""run: what a retriever returns for the topics, as a run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl

from leadline.api.result import Result
from leadline.io.by_content import qrels_from
from leadline.io.formats import Reading
from leadline.io.inputs import TopicNames, collection_inputs, topic_names
from leadline.io.problems import InputError, Notices, Progress
from leadline.io.retrievers import RankedAnswer, load_retriever, read_answer, search_function
from leadline.io.run_metadata import metadata_text, run_metadata
from leadline.io.topics import FILES, read_topics, topics_in
from leadline.io.trec import run_text
from leadline.io.write import write_whole
from leadline.options import Argument, Option
from leadline.registry import check_choice

if TYPE_CHECKING:
    import altair as alt

Failed = Literal["stop", "skip"]
"""What happens if the retriever fails on a topic: everything stops, or the topic stays empty."""

TopicField = Literal["query", "description"]
LONGEST_WAIT = 60.0


@dataclass(frozen=True, eq=False, repr=False)
class Run(Result):
    """The documents that a retriever returned, by topic and rank.

    `seconds` is how long each topic took, without the waits between attempts. `metadata` is
    written to the top of the file, as ir_metadata; a key can be added to it.
    """

    hits: dict[str, RankedAnswer]
    tag: str
    seconds: dict[str, float]
    metadata: dict[str, Any] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns topic, doc, rank, score."""
        rows = [
            (topic, hit.doc, rank, hit.score)
            for topic, answer in self.hits.items()
            for rank, hit in enumerate(answer.hits, 1)
        ]
        kinds = {"topic": pl.String, "doc": pl.String, "rank": pl.Int64, "score": pl.Float64}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    @property
    def text(self) -> str:
        """The run in TREC's format."""
        header = metadata_text(self.metadata) if self.metadata else ""
        return header + run_text(self.frame.iter_rows(), self.tag)

    def write_run(self, path: str | os.PathLike[str]) -> None:
        """Write the run in TREC's format; compressed if the name ends in .gz."""
        data = self.text.encode()
        if str(path).endswith(".gz"):
            import gzip

            data = gzip.compress(data, mtime=0)
        write_whole(path, data)

    def chart(self) -> alt.TopLevelMixin:
        """How many documents each topic has."""
        from leadline.views.charts import count_bars

        frame = self.frame.with_columns(run=pl.lit(self.tag))
        return count_bars(frame, "topic", "run", f"Documents of {self.tag} by topic")


def run(
    topics: Annotated[Any, Argument(metavar="TOPICS")],
    *,
    retriever: Annotated[Any, Option(metavar="MODULE:NAME")],
    depth: Annotated[int, Option(least=1)] = 1000,
    name: Annotated[str | None, Option(default="NAME of the retriever")] = None,
    text_field: Annotated[TopicField, Option("--field", "FIELD")] = "query",
    id_field: Annotated[str | None, Option(metavar="FIELD")] = None,
    only: Annotated[TopicNames, Option("--topics", "FILE")] = None,
    all_topics: bool = False,
    concurrency: Annotated[int, Option(least=1)] = 1,
    tries: Annotated[int, Option(least=1)] = 3,
    backoff: float = 0.5,
    failed: Failed = "stop",
    ir_metadata: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Columns topic, doc, rank, score: what a retriever returns for each topic.

    The retriever is a function that takes a query and returns documents, best first: names,
    (name, score) pairs, or a mapping of names to scores. If it has a parameter k, it gets the
    depth. Retrievers of LangChain and LlamaIndex are taken as they are. Scores that rise along the
    list are distances: the order of the list counts.

    topics: a collection folder, a file of topics, or in Python a mapping of topics to queries. Of a
        folder with judgments only the judged topics are run.
    retriever: the retriever, as MODULE:NAME or FILE.py:NAME. In Python also the function or object.
    depth: most documents of a topic.
    name: name of the run, its last column.
    text_field: what of a topic is the query: query or description.
    id_field: field of a document, or of its metadata, that holds its name. By default the first of
        id, doc_id, docid, _id and docno in the metadata, then the attribute id.
    only: restrict to these topics: a file with one per line. In Python also their names.
    all_topics: run topics without judgments too.
    concurrency: queries at the same time, each in a thread.
    tries: attempts for each query.
    backoff: seconds to wait after a failure, doubled after each further one.
    failed: whether a query that fails in all attempts stops everything, or is left out (skip).
    ir_metadata: write what is known of the run to the top of the file, in comments as the schema
        ir_metadata has them. Leadline skips comments, trec_eval does not.
    progress: as for `evaluate`.

    >>> run({"1": "fog"}, retriever=lambda query: ["b", "a"], name="mine").rows()
    [('1', 'b', 1, 2.0), ('1', 'a', 2, 1.0)]
    """
    check_choice("failed", failed, Failed)
    check_choice("text_field", text_field, TopicField)
    for option, value in (("depth", depth), ("concurrency", concurrency), ("tries", tries)):
        if value < 1:
            raise ValueError(f"`{option}` must be at least 1, not {value}")
    if not 0 <= backoff <= 3600:
        raise ValueError(f"`backoff` must be from 0 to 3600, not {backoff}")
    found = load_retriever(retriever) if isinstance(retriever, str) else retriever
    tag = name or _tag(retriever)
    if any(sign.isspace() for sign in tag):
        raise ValueError(f"`name` must have no blanks: {tag!r}")
    notices = Notices()
    queries = _queries(topics, text_field, topic_names(only), all_topics, notices)
    work = _Work(search_function(found, depth), depth, id_field, tries, backoff)
    answers, seconds = {}, {}
    for number, (topic, query, done) in enumerate(_results(work, queries, concurrency), 1):
        if isinstance(done, _Failure):
            message = f"the retriever failed {done}. Its query is {query!r:.100}"
            if failed == "stop" or isinstance(done.error, InputError):
                raise _stopped(topic, done, message) from done.error
            notices.add(f"topic {topic}", "warning", "failed", f"{message}; it has no documents")
        else:
            answers[topic], seconds[topic] = done
        if progress is not None:
            progress(number, len(queries))
    if queries and not answers:
        raise ValueError("the retriever failed on every topic, so there is no run to write")
    _note(answers, notices)
    hits = {topic: answers[topic] for topic in queries if topic in answers}
    metadata = _metadata(topics, retriever, tag, depth) if ir_metadata else {}
    return Run(hits, tag, seconds, metadata, notices)


def _metadata(topics: Any, retriever: Any, tag: str, depth: int) -> dict[str, Any]:
    named = retriever if isinstance(retriever, str) else _tag(retriever)
    where = "TOPICS" if isinstance(topics, Mapping) else os.fspath(topics)
    command = f"leadline run {where} --retriever {named} --depth {depth} --name {tag}"
    data = {} if isinstance(topics, Mapping) else {"name": Path(where).name, "topics": where}
    return run_metadata(tag, named, command, data)


def _tag(retriever: Any) -> str:
    if isinstance(retriever, str):
        return retriever.rpartition(":")[2]
    name = getattr(retriever, "__name__", type(retriever).__name__)
    return "retriever" if name == "<lambda>" else str(name)


def _queries(
    topics: Any, text_field: str, only: list[str] | None, all_topics: bool, notices: Notices
) -> dict[str, str]:
    """The text of each topic to run; an InputError if there is none."""
    folder = None
    if isinstance(topics, Mapping):
        where, queries = "topics", {str(topic): str(text) for topic, text in topics.items()}
    else:
        path = Path(topics)
        where, folder = os.fspath(topics), path if path.is_dir() else None
        texts = topics_in(path) if folder else read_topics(topics)
        if not texts:
            message = f"has no topics: expected one of {', '.join(FILES)}"
            raise InputError.of(where, "topics", message)
        queries = {topic: getattr(text, text_field) for topic, text in texts.items()}
    if only is not None:
        unknown = [topic for topic in only if topic not in queries]
        if unknown:
            raise InputError.of(where, "topics", f"has no topic {', '.join(unknown[:5])}")
        queries = {topic: queries[topic] for topic in only}
    elif folder is not None and not all_topics:
        queries = _judged(folder, queries, notices)
    empty = [topic for topic, text in queries.items() if not text.strip()]
    if empty:
        message = f"{len(empty)} topics have no {text_field}: {', '.join(empty[:5])}"
        raise InputError.of(where, "topics", message)
    return queries


def _judged(folder: Path, queries: dict[str, str], notices: Notices) -> dict[str, str]:
    """Only topics with judgments, if the folder has any."""
    try:
        qrels, _ = collection_inputs(folder, runs=False)
    except InputError:
        return queries
    assert qrels is not None
    judged = set(qrels_from(qrels, Reading()).frame["topic"].unique())
    kept = {topic: text for topic, text in queries.items() if topic in judged}
    if len(kept) < len(queries):
        message = (
            f"{len(queries) - len(kept):,} of {len(queries):,} topics have no judgments and are "
            "left out; `all_topics` runs them too"
        )
        notices.add(str(folder), "notice", "unjudged-topics", message)
    missing = sorted(judged - set(queries))
    if missing:
        message = f"has no query for {len(missing):,} judged topics: {', '.join(missing[:5])}"
        notices.add(str(folder), "warning", "no-query", message)
    return kept


@dataclass(frozen=True)
class _Failure:
    """Why a query has no answer."""

    error: Exception
    tries: int

    def __str__(self) -> str:
        times = f" in {self.tries} attempts" if self.tries > 1 else ""
        return f"{type(self.error).__name__}{times}: {self.error}"[:300]


@dataclass(frozen=True)
class _Work:
    """One query: attempts, waits between them, and the reading of the answer."""

    search: Callable[[str], Any]
    depth: int
    id_field: str | None
    tries: int
    backoff: float

    def __call__(self, topic: str, query: str) -> tuple[RankedAnswer, float] | _Failure:
        for attempt in range(self.tries):
            begin = time.perf_counter()
            try:
                answer = self.search(query)
                # A generator works while it is read.
                read = read_answer(answer, topic, self.depth, self.id_field)
            except InputError as error:
                return _Failure(error, 1)
            except Exception as error:
                failure = _Failure(error, attempt + 1)
            else:
                return read, time.perf_counter() - begin
            if attempt + 1 < self.tries:
                time.sleep(min(LONGEST_WAIT, self.backoff * 2.0**attempt))
        return failure


_Done = tuple[RankedAnswer, float] | _Failure


def _results(
    work: _Work, queries: dict[str, str], concurrency: int
) -> Iterator[tuple[str, str, _Done]]:
    """What became of each query, as they end; few are under way when one stops everything."""
    if concurrency == 1:
        for topic, query in queries.items():
            yield topic, query, work(topic, query)
        return
    left = iter(queries.items())
    with ThreadPoolExecutor(concurrency) as threads:
        going: dict[Future[_Done], tuple[str, str]] = {}
        while True:
            for topic, query in left:
                going[threads.submit(work, topic, query)] = topic, query
                if len(going) >= concurrency:
                    break
            if not going:
                return
            for future in wait(going, return_when=FIRST_COMPLETED).done:
                topic, query = going.pop(future)
                yield topic, query, future.result()


def _stopped(topic: str, failure: _Failure, message: str) -> Exception:
    if isinstance(failure.error, InputError):
        return failure.error
    hint = "`failed` skip leaves such topics out, `tries` asks more often"
    return InputError.of(f"topic {topic}", "failed", f"{message}. {hint}")


def _note(answers: dict[str, RankedAnswer], notices: Notices) -> None:
    empty = [topic for topic, answer in answers.items() if not answer.hits]
    if empty:
        message = f"{len(empty)} topics have no documents: {', '.join(empty[:5])}"
        notices.add("", "warning", "no-documents", message)
    repeated = sum(answer.repeated for answer in answers.values())
    if repeated:
        message = f"{repeated:,} documents were listed again, as other chunks: the first counts"
        notices.add("", "notice", "repeated", message)
    rising = sum(answer.rising for answer in answers.values())
    if rising:
        message = (
            f"scores of {rising:,} topics rise along the list, as distances do: the order of the "
            "list counts"
        )
        notices.add("", "warning", "distances", message)
