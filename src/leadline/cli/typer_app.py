"""The program with all that a parser of command lines does: help, mistakes told, completion."""

import inspect
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Annotated, Any, NamedTuple, get_args

import typer

from leadline import __version__
from leadline.cli.app import VERBS, command_of
from leadline.cli.options import Argument


class HelpPage(NamedTuple):
    """The question that a command answers, which heads its group, and two ways to call it."""

    question: str
    examples: tuple[str, str]


BEST = "Who is best?"
WORSE = "Is the new one worse?"
NEXT = "What should I judge next?"
CHEAP = "Is this judge any good, a language model for instance?"
DEEP = "What would scores be, were all judged?"
FILES = "Files, names and papers"

HELP_PAGES = {
    "evaluate": HelpPage(
        BEST, ("evaluate qrels.txt bm25.run dense.run -m nDCG@10", "evaluate FOLDER --wide --top 5")
    ),
    "compare": HelpPage(
        BEST, ("compare FOLDER -m nDCG@10", "compare FOLDER -m AP --baseline bm25 --correct bh")
    ),
    "report": HelpPage(
        BEST, ("report FOLDER -o report.html", "report FOLDER -m nDCG@10 -m AP -o report.html")
    ),
    "gate": HelpPage(
        WORSE,
        (
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10",
            "gate FOLDER --baseline bm25 --new dense -m nDCG@10 --margin 0.02",
        ),
    ),
    "adjust": HelpPage(
        WORSE,
        (
            "adjust FOLDER --new dense -m P@10 --by Regression",
            "adjust FOLDER --new dense -m P@10 --by Systems",
        ),
    ),
    "plan": HelpPage(
        NEXT,
        ("plan FOLDER --budget 500 --question best", "plan FOLDER --budget 500 --question scores"),
    ),
    "order": HelpPage(
        NEXT, ("order FOLDER --budget 50", "order FOLDER --interactive --stop 'BestLikely'")
    ),
    "pool": HelpPage(
        NEXT,
        (
            "pool FOLDER -s 'Depth(d=10)' --unjudged",
            "pool none runs/*.run -s 'Sampled(d=50, rate=0.3)'",
        ),
    ),
    "judge": HelpPage(NEXT, ("judge --demo", "judge --new FOLDER")),
    "audit": HelpPage(
        CHEAP,
        ("audit labels.csv --trusted qrels.txt", "audit labels.csv --trusted qrels.txt FOLDER"),
    ),
    "label": HelpPage(
        CHEAP,
        (
            "label FOLDER --model NAME --pool pool.csv -o labels.csv --dry-run",
            "label FOLDER --model NAME --pool pool.csv -o labels.csv",
        ),
    ),
    "correlate": HelpPage(
        CHEAP, ("correlate human.csv machine.csv", "correlate human.csv machine.csv --format json")
    ),
    "estimate": HelpPage(
        DEEP,
        (
            "estimate FOLDER -m 'RBP(p=0.8)' -e Regression",
            "estimate FOLDER -m P@10 -e Regression -e LB --pool-depth 10",
        ),
    ),
    "lint": HelpPage(FILES, ("lint qrels.txt runs/*.run", "lint FOLDER/corpus.jsonl")),
    "list": HelpPage(FILES, ("list", "list measures")),
    "explain": HelpPage(
        FILES,
        (
            "explain FOLDER --run dense --topic 1 -m ABSnb@10",
            "explain FOLDER --run dense --topic 1 -m DELTAnb@10",
        ),
    ),
    "reproduce": HelpPage(
        FILES,
        ("reproduce lu17 FOLDER -o out --quick", "reproduce moffat07 FOLDER -o out --workers 2"),
    ),
    "league": HelpPage(
        FILES,
        ("league FOLDER simulated/mixed -o out", "league FOLDER --task best --entrant mine.py"),
    ),
    "demo": HelpPage(FILES, ("demo", "demo --copy sea")),
}


def help_page(verb: str) -> HelpPage:
    """The page of a command; one that has none yet stands with the last."""
    return HELP_PAGES.get(verb, HelpPage(FILES, (verb, f"{verb} --help")))


def place(verb: str) -> int:
    """Where a command stands in the list of all."""
    known = list(HELP_PAGES)
    return known.index(verb) if verb in known else len(known)


def epilog(verb: str) -> str:
    """The examples of a command, and where its page is."""
    lines = ["For example:", *(f"  leadline {example}" for example in help_page(verb).examples)]
    # The formatter takes what stands between blank lines for one line.
    return "\n\n".join([*lines, f"More: docs/how-to/{verb}.md"])


def typer_app(verbs: Iterable[str] = VERBS) -> typer.Typer:
    """The program with these verbs, in the order of their questions, which heads --help."""
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Search evaluation that tells what a score is worth when few documents were judged.",
    )
    app.callback()(_options)
    for verb in sorted(verbs, key=place):
        page = help_page(verb)
        app.command(verb, rich_help_panel=page.question, epilog=epilog(verb))(
            _for_typer(command_of(verb))
        )
    return app


def _tell_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"leadline {__version__}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Tell the version.", is_eager=True, callback=_tell_version),
    ] = False,
) -> None:
    pass


def _for_typer(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its parameters described as typer wants them."""

    @wraps(command)
    def called(**given: Any) -> None:
        command(**given)

    signature = inspect.signature(command)
    described = []
    for each in signature.parameters.values():
        kind, about, *_ = get_args(each.annotation)
        make = typer.Argument if isinstance(about, Argument) else typer.Option
        info = make(*about.names, **about.settings)
        described.append(each.replace(annotation=Annotated[kind, info]))
    called.__signature__ = signature.replace(parameters=described)  # type: ignore[attr-defined]
    return called
