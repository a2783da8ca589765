"""`leadline label`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import (
    STANDARD_OUTPUT,
    OutputFile,
    TableOutput,
    emit,
    print_notices,
    progress,
    say,
)
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.label import Labelled
    from leadline.labels.asking import Asking


def label(call: Call["Labelled"], qrels_out: OutputFile = None, **out: Unpack[TableOutput]) -> None:
    """Label pairs by a language model or by text similarity.

    The API key is read from the environment variable LEADLINE_API_KEY or OPENAI_API_KEY; with
    --app, the token of the machine account from LEADLINE_ROOM_TOKEN.

    qrels_out: write the labels to this file, as qrels.
    """
    from leadline.api.label import is_free
    from leadline.api.result import PlainResult

    form, output = out.get("form"), out.get("output")
    cache = call.given.pop("cache", None)
    cache = None if cache is None else Path(cache)
    dry_run, max_tokens = call.value("dry_run"), call.value("max_tokens")
    to_file = output is not None and str(output) not in STANDARD_OUTPUT
    if cache is None and output is not None and to_file:
        cache = output.with_suffix(".answers.jsonl")
    if output is not None and cache is not None and cache.resolve() == output.resolve():
        raise ValueError(f"{cache}: `cache` and `output` must be two files")
    free = is_free(call.value("model"), call.value("endpoint"))
    if free:
        cache = None
    if cache is None and not dry_run and not free:
        raise ValueError("give `output`, or `cache`: a file in which paid answers are kept")
    if qrels_out is not None:
        check_writable(qrels_out)
    if cache is not None:
        check_writable(cache)
    seen = _Seen()
    with _stop_requested(cache), progress(seen.told) as advance:
        result = call.function(**call.arguments(), cache=cache, progress=advance, watch=seen.see)
    if dry_run:
        # Not to the file: labels that lie there are not to be lost for a forecast.
        emit(PlainResult(result.forecast), form, None)
        say(_forecast(result, max_tokens))
        print_notices(result)
        return
    emit(result, form, output)
    if qrels_out is not None:
        from leadline.io.trec import qrels_text

        write_whole(qrels_out, qrels_text(result.grades))
    say(_summary(result))
    print_notices(result)


@contextmanager
def _stop_requested(cache: Path | None) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if cache is not None and cache.exists():
            say([f"answers so far are in {cache}; the same command continues from there"])
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
        f"{made.answered:,} of {made.samples:,} samples are already answered; "
        f"{cost.asks:,} requests remain, about {cost.told()}",
        "input tokens are estimated from the length of the text and the answers so far; "
        f"output tokens are at most {cost.asks * max_tokens:,}, without repeated requests",
    ]
    return (
        lines
        if cost.price is not None
        else [*lines, "for a price, give --price-in and --price-out"]
    )


def _summary(made: "Labelled") -> list[str]:
    counts = dict(made.labels["state"].value_counts().sort("count", descending=True).iter_rows())
    states = ", ".join(f"{n:,} {state}" for state, n in counts.items())
    asked = f"{made.cost.asks:,} requests were sent: {made.cost.told()}"
    return [f"{states}; {asked if made.cost.asks else 'no request was sent'}"]
