"""`leadline order`."""

import sys
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leadline.cli.evaluate import LenientOption, Ranks, RanksOption, TopicsOption
from leadline.cli.output import FormatOption, OutputOption, emit, progress, say
from leadline.cli.pool import RunsArgument, split_or_none
from leadline.files.whole_file import check_writable, write_whole

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leadline.files.problems import Notices
    from leadline.judging.session import Session
    from leadline.judging.stops import Stop
    from leadline.orders.order import Order
    from leadline.verbs.order import Step

LEDGER = Path("leadline-judgments.jsonl")


class Missing(StrEnum):
    """What becomes of a question that the answers do not hold."""

    nonrelevant = "nonrelevant"
    bypass = "bypass"


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("order")(order)


def order(
    inputs: RunsArgument,
    order: Annotated[
        str, typer.Option("--order", help="leadline list orders shows all.")
    ] = "Difference(p=0.8)",
    judged: Annotated[
        bool, typer.Option("--judged", help="Start from INPUT's judgments; without it none count.")
    ] = False,
    budget: Annotated[
        int | None, typer.Option(help="At most so many judgments (100 if nothing else ends it).")
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option(
            help="When to stop, leadline list stops shows all. With --answers or --interactive it "
            "is BestCertain(joint=true), unless there is a budget."
        ),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="Qrels that answer every question: a simulation.")
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="What the answers do not hold: judge it so, or pass it by.")
    ] = Missing.nonrelevant,
    interactive: Annotated[
        bool, typer.Option("--interactive", help="Judge here, in the terminal.")
    ] = False,
    ledger: Annotated[
        Path | None,
        typer.Option(
            help="Where answers are kept; those in it count as judged. "
            f"With --interactive it is {LEDGER} unless you say.",
            dir_okay=False,
        ),
    ] = None,
    qrels_out: Annotated[
        Path | None,
        typer.Option(help="Write all judgments to this file, as qrels.", dir_okay=False),
    ] = None,
    standing: Annotated[
        bool, typer.Option("--standing", help="Show where all runs stand, on standard error.")
    ] = False,
    topics: TopicsOption = None,
    ranks: RanksOption = Ranks.score,
    lenient: LenientOption = False,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What to judge next, in order of worth, and which runs can still be best."""
    from leadline.judging.ledger import Ledger, read_ledger
    from leadline.verbs.order import judge_in_order

    qrels, runs = split_or_none(inputs)
    if qrels_out is not None:
        check_writable(qrels_out)
    reading: dict[str, Any] = {"topics": topics, "ranks": ranks.value, "lenient": lenient}
    ended: list[str] = []
    if interactive:
        if answers is not None:
            raise ValueError("--answers and --interactive exclude each other: who is to answer?")
        steps, session, notices = _judge(
            qrels, runs, order, judged, budget, stop, ledger or LEDGER, reading
        )
    else:
        known = Ledger() if ledger is None else read_ledger(ledger)
        with progress("reading, then judging") as advance:
            result = judge_in_order(
                qrels,
                runs,
                order,
                judged=judged,
                budget=budget,
                stop=stop,
                answers=answers,
                missing=missing.value,
                ledger=known,
                progress=advance,
                reading=advance,
                **reading,
            )
        steps, session, notices = result.steps, result.session, result.notices
        ended = [f"ended after {len(steps):,}: {result.reason}"]
    if not interactive or output is not None:
        _emit(steps, form, output)
    say(ended)
    _end(session, notices, _picture(standing, interactive, len(session.runs.names)), qrels_out)


def _picture(wanted: bool, interactive: bool, n_runs: int) -> int | None:
    """How many runs to draw: all if asked for, else what fits a terminal after judging there."""
    if wanted:
        return n_runs
    return 20 if interactive and sys.stderr.isatty() else None


def _judge(
    qrels: str | None,
    runs: list[str] | None,
    order: str,
    judged: bool,
    budget: int | None,
    stop: str | None,
    ledger: Path,
    reading: dict[str, Any],
) -> "tuple[list[Step], Session, Notices]":
    """What was judged in the terminal, until the assessor quits or the rule says stop."""
    from leadline.cli.interactive import Conversation
    from leadline.judging.ledger import FileLedger
    from leadline.judging.reading_texts import read_texts
    from leadline.verbs.order import start_session
    from leadline.verbs.pool import read_topics

    made, rule = _names(order, stop, budget)
    _look_before(runs, ledger)
    with progress("reading runs") as advance:
        read = read_topics(qrels, runs, progress=advance, **reading)
    with progress("reading documents") as advance:
        texts = read_texts(read.folder, set(read.runs.pairs.docs), advance)
    with closing(FileLedger(ledger)) as kept:
        session = start_session(read, made, rule, budget=budget, judged=judged, ledger=kept)
        if session.elsewhere and not session.grades:
            raise ValueError(
                f"{ledger}: judges no document of these runs. Name another file with --ledger"
            )
        steps = Conversation(session, texts, str(ledger)).hold()
    return steps, session, read.notices


def _names(order: str, stop: str | None, budget: int | None) -> "tuple[Order, Stop | None]":
    from leadline.verbs.order import check_budget, named_order, named_stop

    if check_budget(budget) is None and stop is None:
        stop = "BestCertain(joint=true)"
    return named_order(order), named_stop(stop)


def _look_before(runs: list[str] | None, ledger: Path) -> None:
    """Say what is wrong before anything slow is done, and before a file is made."""
    from leadline.judging.ledger import read_ledger

    if runs is not None and "-" in runs:
        raise ValueError("with --interactive standard input is for your answers: save the run")
    if ledger.exists():
        read_ledger(ledger)
    else:
        check_writable(ledger)


def _emit(steps: "list[Step]", form: FormatOption, output: Path | None) -> None:
    import polars as pl

    from leadline.verbs.order import steps_frame

    frame = steps_frame(steps)

    def table() -> "RenderableType":
        from leadline.presentation.terminal.tables import plain_table

        return plain_table(frame.with_columns(pl.col("weight").round_sig_figs(4)))

    emit(frame, table, form, output)


def _end(
    session: "Session", notices: "Notices", picture: int | None, qrels_out: Path | None
) -> None:
    """Who leads, who can still be best, and the qrels."""
    from rich.console import Console

    from leadline.presentation.terminal.standings_table import (
        short_lists,
        standing_line,
        standing_table,
    )

    say([standing_line(session.standing), *short_lists(session.standing)])
    if picture is not None:
        Console(stderr=True, highlight=False).print(standing_table(session.standing, picture))
    if session.elsewhere:
        say([f"in the ledger, but not returned by these runs: {len(session.elsewhere):,}"])
    if qrels_out is not None:
        _write_qrels(session, qrels_out)
    say(notices.lines())


def _write_qrels(session: "Session", path: Path) -> None:
    from leadline.judging.merge import Merging, merged

    rows: dict[tuple[str, str], int] = {}
    if session.judgments is not None:
        for pair in session.judgments.judged.nonzero()[0].tolist():
            rows[session.runs.pairs.name(pair)] = int(session.judgments.grade[pair])
    rows = {**merged(session.ledger.entries, Merging()), **rows}
    text = "".join(f"{topic} 0 {doc} {grade}\n" for (topic, doc), grade in rows.items())
    write_whole(path, text)
    say([f"{path}: judgments written: {len(rows):,}"])
