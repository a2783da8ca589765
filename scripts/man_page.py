"""Writes man/leadline.1 from the program's own help: python scripts/man_page.py."""

import sys
from pathlib import Path

import typer

from leadline.cli.typer_app import help_page, typer_app

PAGE = Path(__file__).parents[1] / "man" / "leadline.1"


def plain(text: str) -> str:
    """Text that means nothing else to troff."""
    lines = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{lines}" if lines.startswith((".", "'")) else lines


def man_page() -> str:
    """The page: what the program does, and each command with its options and examples."""
    command = typer.main.get_command(typer_app())
    commands = command.commands  # type: ignore[attr-defined]
    lines = ['.TH LEADLINE 1 "" "Leadline" "User commands"', ".SH NAME"]
    lines += [f"leadline \\- {plain(command.help or '')}", ".SH SYNOPSIS"]
    lines += ["\\fBleadline\\fR COMMAND [OPTIONS] INPUT...", ".SH COMMANDS"]
    question = ""
    for verb, each in commands.items():
        page = help_page(verb)
        if page.question != question:
            question = page.question
            lines.append(f'.SS "{plain(question)}"')
        lines += [".TP", f"\\fBleadline {plain(verb)}\\fR", plain(each.help or "")]
        lines += [".RS"]
        for option in each.params:
            if option.param_type_name == "option":
                names = ", ".join(sorted({*option.opts, *option.secondary_opts}))
                lines += [".TP", f"\\fB{plain(names)}\\fR", plain(option.help or "")]
        for example in page.examples:
            lines += [".PP", f"Example: leadline {plain(example)}"]
        lines.append(".RE")
    lines += [".SH EXIT STATUS", "0 done; 1 lint found errors or gate says worse; 2 input or usage"]
    lines += ["wrong; 3 gate is undecided; 70 an error of Leadline's own."]
    lines += [".SH SEE ALSO", "docs/index.md of the project."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(man_page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main()
