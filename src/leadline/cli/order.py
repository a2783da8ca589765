"""`leadline order`."""

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from leadline.cli.options import CheapOption, HowToRead, InputArgument, Option, split_input
from leadline.cli.output import (
    ChartOption,
    FormatOption,
    OutputOption,
    draw,
    emit,
    is_quiet,
    progress,
    say,
    say_notices,
)
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.order import Ordering
    from leadline.io.collection import Collection
    from leadline.judging.session import Session


LEDGER = Path("leadline-judgments.jsonl")
Missing = Literal["nonrelevant", "bypass"]


def order(
    inputs: InputArgument,
    order: Annotated[
        str, Option("--order", help="leadline list orders shows all.")
    ] = "Difference(p=0.8)",
    judged: Annotated[
        bool | None,
        Option(
            "--judged/--ignore-judged",
            help="Whether INPUT's own judgments count; they do, unless there are --answers.",
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        int | None, Option(help="At most so many judgments (100 if nothing else ends it).")
    ] = None,
    stop: Annotated[
        str | None,
        Option(
            help="When to stop, leadline list stops shows all. With --answers or --interactive it "
            "is BestCertain, unless there is a budget."
        ),
    ] = None,
    answers: Annotated[
        Path | None, Option(help="Qrels that answer every question: a simulation.")
    ] = None,
    missing: Annotated[
        Missing,
        Option(
            metavar="HOW",
            help="What the answers do not hold: judge it nonrelevant, or bypass it.",
        ),
    ] = "nonrelevant",
    interactive: Annotated[
        bool, Option("--interactive", help="Judge here, in the terminal.")
    ] = False,
    ledger: Annotated[
        Path | None,
        Option(
            help="Where answers are kept; those in it count as judged. "
            f"With --interactive it is {LEDGER} unless you say.",
            dir_okay=False,
        ),
    ] = None,
    qrels_out: Annotated[
        Path | None,
        Option(help="Write all judgments to this file, as qrels.", dir_okay=False),
    ] = None,
    certificate: Annotated[
        Path | None,
        Option(help="Write a certificate for verify-certificate (SampledBatches).", dir_okay=False),
    ] = None,
    cheap: CheapOption = None,
    standing: Annotated[
        bool, Option("--standing", help="Show where all runs stand, on standard error.")
    ] = False,
    *,
    how: HowToRead,
    chart: ChartOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What to judge next, in order of worth, and which runs can still be best."""
    from leadline.api.order import order as verb
    from leadline.io.read import read

    qrels, runs = split_input(inputs)
    for path in filter(None, (qrels_out, certificate)):
        check_writable(path)
    if interactive:
        if answers is not None:
            raise ValueError("--answers and --interactive exclude each other: who is to answer?")
        _look_before(runs, ledger or LEDGER, order, stop, budget)
    with progress("reading runs") as advance:
        collection = read(
            qrels,
            runs,
            cheap=cheap,
            progress=advance,
            **how,
        )
    if interactive:
        result = _judge(collection, order, judged is not False, budget, stop, ledger or LEDGER)
    else:
        with progress("judging") as advance:
            result = verb(
                collection,
                order=order,
                judged=judged,
                budget=budget,
                stop=stop,
                answers=answers,
                missing=missing,
                ledger=ledger,
                progress=advance,
            )
    if not interactive or output is not None:
        emit(result, form, output)
    draw(result, chart)
    if certificate is not None:
        write_whole(certificate, json.dumps(result.certificate(), ensure_ascii=False) + "\n")
    if result.reason:
        say([f"ended after {len(result.steps):,}: {result.reason}"])
    _end(result, _picture(standing, interactive, len(result.session.runs.names)), qrels_out)


def _picture(wanted: bool, interactive: bool, n_runs: int) -> int | None:
    """How many runs to draw: all if asked for, else what fits a terminal after judging there."""
    if wanted:
        return n_runs
    return 20 if interactive and sys.stderr.isatty() else None


def _judge(
    collection: "Collection",
    order: str,
    judged: bool,
    budget: int | None,
    stop: str | None,
    ledger: Path,
) -> "Ordering":
    """What was judged in the terminal, until the assessor quits or the rule says stop."""
    from leadline.api.order import Ordering, start_session
    from leadline.cli.interactive import Conversation
    from leadline.io.topics import read_texts
    from leadline.judging.ledger import FileLedger

    if stop is None and budget is None:
        stop = "BestCertain(joint=true)"
    with progress("reading documents") as advance:
        texts = read_texts(collection.folder, set(collection.runs.pairs.docs), advance)
    with closing(FileLedger(ledger)) as kept:
        session = start_session(collection, order, stop, budget=budget, judged=judged, ledger=kept)
        if session.elsewhere and not session.grades:
            raise ValueError(
                f"{ledger}: judges no document of these runs. Name another file with --ledger"
            )
        steps = Conversation(session, texts, str(ledger)).hold()
    return Ordering(steps, session, notices=collection.notices)


def _look_before(
    runs: list[str] | None, ledger: Path, order: str, stop: str | None, budget: int | None
) -> None:
    """Say what is wrong before anything slow is done, and before a file is made."""
    from leadline.api.order import check_budget, named_order, named_stop
    from leadline.judging.ledger import read_ledger

    named_order(order), named_stop(stop), check_budget(budget)

    if runs is not None and "-" in runs:
        raise ValueError("with --interactive standard input is for your answers: save the run")
    if ledger.exists():
        read_ledger(ledger)
    else:
        check_writable(ledger)


def _end(result: "Ordering", picture: int | None, qrels_out: Path | None) -> None:
    """Who leads, who can still be best, and the qrels."""
    from rich.console import Console

    from leadline.judging.forecast import Forecast
    from leadline.views.standings import (
        likely_lines,
        outlook_text,
        short_lists,
        standing_line,
        standing_table,
    )

    session = result.session
    standing = session.standing
    console = Console(stderr=True, highlight=False, quiet=is_quiet())
    forecast = Forecast(session).now()
    say([standing_line(standing, forecast)])
    if (told := outlook_text(standing, forecast)) is not None:
        console.print(told, soft_wrap=True)
    sampled = [] if standing.two_runs is None else [standing.two_runs.line()]
    say([*likely_lines(standing), *sampled, *short_lists(standing)])
    if picture is not None:
        console.print(standing_table(standing, picture, forecast))
    if session.elsewhere:
        say([f"in the ledger, but not returned by these runs: {len(session.elsewhere):,}"])
    if qrels_out is not None:
        _write_qrels(session, qrels_out)
    say_notices(result)


def _write_qrels(session: "Session", path: Path) -> None:
    from leadline.io.trec import qrels_text
    from leadline.judging.merge import Merging, merged

    rows: dict[tuple[str, str], int] = {}
    if session.judgments is not None:
        for pair in session.judgments.judged.nonzero()[0].tolist():
            rows[session.runs.pairs.name(pair)] = int(session.judgments.grade[pair])
    rows = {**merged(session.ledger.entries, Merging()), **rows}
    write_whole(path, qrels_text(rows))
    say([f"{path}: judgments written: {len(rows):,}"])
