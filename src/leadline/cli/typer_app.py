"""The program with all that a parser of command lines does: help, mistakes told, completion."""

import inspect
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Annotated, Any, get_args

import typer

from leadline import __version__
from leadline.cli.commands import VERBS, command_of
from leadline.cli.help_pages import epilog, help_page, place
from leadline.cli.parameters import Argument


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
