"""`leadline label`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from leadline.cli.options import Argument, Option, TopicsOption
from leadline.cli.output import (
    STANDARD_OUTPUT,
    FormatOption,
    OutputOption,
    emit,
    progress,
    say,
    say_notices,
)
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.label import Labelled
    from leadline.labels.asking import Asking


Scale = Literal["binary", "graded"]


def label(
    collection: Annotated[
        str,
        Argument(
            metavar="COLLECTION",
            help="A folder with topics and documents, and perhaps judge.toml and label-prompt.txt.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str,
        Option(help="As the endpoint calls it; bm25 and minilm need no endpoint."),
    ],
    pool: Annotated[
        Path | None,
        Option(help="The pairs: a file of leadline pool.", show_default="what --room lends"),
    ] = None,
    room: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="A judging room, instead of a pool: label what it lends, as a machine of its.",
            show_default=False,
        ),
    ] = None,
    endpoint: Annotated[
        str, Option(help="Of any server that speaks OpenAI's chat completions.")
    ] = "https://api.openai.com/v1",
    cache: Annotated[
        Path | None,
        Option(
            help="Where answers are kept, so that nothing is asked twice.",
            show_default="beside -o, with the suffix .answers.jsonl",
            dir_okay=False,
        ),
    ] = None,
    prompt: Annotated[
        Path | None,
        Option(help="A template, instead of COLLECTION's label-prompt.txt or our own."),
    ] = None,
    scale: Annotated[
        Scale | None,
        Option(help="The grades.", show_default="those of judge.toml, or graded"),
    ] = None,
    samples: Annotated[int, Option(help="How often each text is asked about.")] = 1,
    temperature: Annotated[float, Option(help="Of the answers.")] = 0.0,
    max_tokens: Annotated[int, Option(help="Of an answer, thinking included.")] = 2000,
    cut_at: Annotated[int, Option(help="Letters of a document that are shown.")] = 8000,
    concurrency: Annotated[int, Option(help="Asks at once.")] = 8,
    per_minute: Annotated[
        float | None, Option(help="Asks a minute.", show_default="as many as are answered")
    ] = None,
    timeout: Annotated[float, Option(help="Seconds to wait for an answer.")] = 120.0,
    tries: Annotated[int, Option(help="How often to try for an answer.")] = 8,
    backoff: Annotated[
        float, Option(help="Seconds to wait after a failure; doubled after each other one.")
    ] = 0.5,
    price_in: Annotated[float | None, Option(help="Of a million tokens of what is asked.")] = None,
    price_out: Annotated[float | None, Option(help="Of a million tokens of answers.")] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Ask nothing: tell asks, tokens and price first.")
    ] = False,
    qrels_out: Annotated[
        Path | None, Option(help="Write the labels to this file, as qrels.", dir_okay=False)
    ] = None,
    topics: TopicsOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Labels of the pairs of a pool by a language model, or by likeness: never judgments.

    The key is read from the environment: LEADLINE_API_KEY or OPENAI_API_KEY; with --room the
    machine's token too: LEADLINE_ROOM_TOKEN.
    """
    from leadline.api.label import label as verb
    from leadline.api.result import PlainResult

    to_file = output is not None and str(output) not in STANDARD_OUTPUT
    if cache is None and output is not None and to_file:
        cache = output.with_suffix(".answers.jsonl")
    if output is not None and cache is not None and cache.resolve() == output.resolve():
        raise ValueError(f"{cache}: `cache` and `output` must be two files")
    if cache is None and not dry_run:
        raise ValueError("give `output`, or `cache`: a file in which paid answers are kept")
    if qrels_out is not None:
        check_writable(qrels_out)
    if cache is not None:
        check_writable(cache)
    seen = _Seen()
    with _told_to_stop(cache), progress(seen.told) as advance:
        result = verb(
            collection,
            pool,
            model=model,
            cache=cache,
            room=room,
            endpoint=endpoint,
            prompt=prompt,
            scale=scale,
            samples=samples,
            temperature=temperature,
            max_tokens=max_tokens,
            cut_at=cut_at,
            concurrency=concurrency,
            per_minute=per_minute,
            timeout=timeout,
            tries=tries,
            backoff=backoff,
            price_in=price_in,
            price_out=price_out,
            dry_run=dry_run,
            topics=topics,
            progress=advance,
            watch=seen.see,
        )
    if dry_run:
        # Not to the file: labels that lie there are not to be lost for a forecast.
        emit(PlainResult(result.forecast), form, None)
        say(_forecast(result, max_tokens))
        say_notices(result)
        return
    emit(result, form, output)
    if qrels_out is not None:
        from leadline.io.trec import qrels_text

        write_whole(qrels_out, qrels_text(result.grades))
    say(_summary(result))
    say_notices(result)


@contextmanager
def _told_to_stop(cache: Path | None) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if cache is not None and cache.exists():
            say([f"answers so far are in {cache}; the same command goes on from there"])
        raise


class _Seen:
    """What the bar says: reading first, then price and pace."""

    def __init__(self) -> None:
        self._words = "reading texts"

    def see(self, asking: "Asking") -> None:
        pace = asking.cost.asks / max(asking.seconds, 0.001)
        price = asking.cost.price
        paid = "" if price is None else f", price {price:,.4f}"
        self._words = f"labelling, {pace:,.1f} answers a second{paid}"

    def told(self) -> str:
        return self._words


def _forecast(made: "Labelled", max_tokens: int) -> list[str]:
    cost = made.cost
    lines = [
        f"{made.answered:,} of {made.samples:,} samples are answered already; "
        f"{cost.asks:,} asks to go, about {cost.told()}",
        "tokens in are estimated: four bytes of UTF-8 each, put right by the answers so far; "
        f"tokens out are at most {cost.asks * max_tokens:,}, answers asked for again not counted",
    ]
    return lines if cost.price is not None else [*lines, "--price-in and --price-out tell a price"]


def _summary(made: "Labelled") -> list[str]:
    counts = dict(made.labels["state"].value_counts().sort("count", descending=True).iter_rows())
    states = ", ".join(f"{n:,} {state}" for state, n in counts.items())
    asked = f"{made.cost.asks:,} answers were asked for: {made.cost.told()}"
    return [f"{states}; {asked if made.cost.asks else 'nothing had to be asked'}"]
