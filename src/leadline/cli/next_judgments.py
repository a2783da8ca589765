"""`leadline next`."""

import inspect
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import (
    ChartOutput,
    OutputFile,
    draw,
    emit,
    is_quiet,
    print_notices,
    progress,
    say,
)
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.next_judgments import Ordering
    from leadline.judging.session import Session


LEDGER = "leadline-judgments.jsonl"
"""Where answers are kept with --interactive, unless `ledger` is given."""


def next_judgments(
    call: Call["Ordering"],
    interactive: bool = False,
    qrels_out: OutputFile = None,
    certificate: OutputFile = None,
    leaderboard: bool = False,
    **out: Unpack[ChartOutput],
) -> None:
    """List the pairs to judge next, and which runs can still be best.

    interactive: judge in the terminal.
    qrels_out: write all judgments to this file, as qrels.
    certificate: write a certificate for `leadline verify-certificate` to this file, with the order
        SampledBatches.
    leaderboard: print scores and bounds of all runs on standard error.
    """
    for path in filter(None, (qrels_out, certificate)):
        check_writable(path)
    result = _judge(call) if interactive else call("judging")
    output = out.get("output")
    if not interactive or output is not None:
        emit(result, out.get("form"), output)
    draw(result, out.get("chart"))
    if certificate is not None:
        write_whole(certificate, json.dumps(result.certificate(), ensure_ascii=False) + "\n")
    if result.reason:
        say([f"Stopped after {len(result.steps):,} judgments: {result.reason}."])
    _end(result, _picture(leaderboard, interactive, len(result.session.runs.names)), qrels_out)


def _picture(wanted: bool, interactive: bool, n_runs: int) -> int | None:
    """Return how many runs the leaderboard shows: all, or those that fit a terminal."""
    if wanted:
        return n_runs
    return 20 if interactive and sys.stderr.isatty() else None


def _judge(call: Call["Ordering"]) -> "Ordering":
    """Judge in the terminal until the assessor quits or the stopping rule applies."""
    from leadline.api.next_judgments import Ordering, start_session
    from leadline.cli.interactive import Conversation
    from leadline.io.read import read
    from leadline.io.topics import read_texts
    from leadline.judging.ledger import FileLedger

    given = call.arguments()
    if "simulate" in given:
        raise ValueError("--simulate and --interactive exclude each other")
    order, stop, budget = (call.value(name) for name in ("order", "stop", "budget"))
    ledger = Path(given.get("ledger", LEDGER))
    _look_before(given["runs"], ledger, order, stop, budget)
    taken = inspect.signature(read).parameters
    with progress("reading runs") as advance:
        collection = read(
            **{name: value for name, value in given.items() if name in taken}, progress=advance
        )
    if stop is None and budget is None:
        stop = "WinnerCertain(joint=true)"
    with progress("reading documents") as advance:
        texts = read_texts(collection.folder, set(collection.runs.pairs.docs), advance)
    use_judgments = given.get("use_judgments") is not False
    with closing(FileLedger(ledger)) as kept:
        session = start_session(
            collection, order, stop, budget=budget, use_judgments=use_judgments, ledger=kept
        )
        if session.elsewhere and not session.grades:
            raise ValueError(
                f"{ledger}: contains no judgment of a document of these runs. Name another "
                "file with --ledger"
            )
        steps = Conversation(session, texts, str(ledger)).hold()
    return Ordering(steps, session, notices=collection.notices)


def _look_before(
    runs: list[str] | None, ledger: Path, order: str, stop: str | None, budget: int | None
) -> None:
    """Raise an error about invalid options before slow work and before a file is written."""
    from leadline.api.next_judgments import check_budget, named_order, named_stop
    from leadline.judging.ledger import read_ledger

    named_order(order), named_stop(stop), check_budget(budget)

    if runs is not None and "-" in runs:
        raise ValueError(
            "with --interactive, standard input is for your answers: save the run to a file first"
        )
    if ledger.exists():
        read_ledger(ledger)
    else:
        check_writable(ledger)


def _end(result: "Ordering", picture: int | None, qrels_out: Path | None) -> None:
    """Print who leads and who can still be best, and write the qrels."""
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
        say(
            [
                "judgments in the ledger of pairs that these runs do not return: "
                f"{len(session.elsewhere):,}"
            ]
        )
    if qrels_out is not None:
        _write_qrels(session, qrels_out)
    print_notices(result)


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
