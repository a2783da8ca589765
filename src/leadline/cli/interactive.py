"""Judging in the terminal, and the questions that make a judging project."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from leadline.io.topics import Texts
from leadline.judging.forecast import Forecast
from leadline.judging.session import Session
from leadline.views.standings import outlook_text, standing_line, standing_table

if TYPE_CHECKING:
    from leadline.api.next_judgments import Step
    from leadline.judging.order import Choice


WIDEST = 100
HELP = """\
0        not relevant
1 to 9   relevant, the higher the better
u        undo your last answer
s        skip: you cannot judge this one, do not ask again
m        the rest of a long document
r        where the runs stand
q        quit; start the same command again to go on
?        this help
Every answer is on the disk before the next question comes."""


class Keys:
    """Answers from a pipe: the first letter of every line, q at the end."""

    def next(self) -> str:
        """The next answer."""
        line = sys.stdin.readline()
        return line.strip()[:1] if line else "q"

    def forget(self) -> None:
        """Drop what was answered before the question was seen; in a pipe nothing is seen."""


class PressedKeys(Keys):
    """Keys as they are pressed in a terminal, without Enter."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def next(self) -> str:
        pressed = os.read(self.handle, 64)
        if not pressed or pressed[:1] == b"\x04":
            return "q"
        # An arrow or function key comes as several bytes at once, and is no answer.
        return "" if pressed[:1] == b"\x1b" else pressed[:1].decode("ascii", errors="replace")

    def forget(self) -> None:
        import termios

        # A key pressed twice must not judge a document that nobody has seen.
        termios.tcflush(self.handle, termios.TCIFLUSH)


@contextlib.contextmanager
def _keys() -> Iterator[Keys]:
    """Keys from the terminal, which is left as it was found; lines from a pipe."""
    try:
        import termios
        import tty
    except ImportError:  # Windows: every key wants Enter.
        yield Keys()
        return
    if not sys.stdin.isatty():
        yield Keys()
        return
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield PressedKeys(handle)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


class Conversation:
    """Asks one question after the other and takes the answers; all of it on standard error."""

    def __init__(self, session: Session, texts: Texts, ledger: str) -> None:
        self.session, self.texts, self.ledger = session, texts, ledger
        self.forecast = Forecast(session)
        self.console = Console(stderr=True, highlight=False)
        self.weight: dict[int, float | None] = {}

    def hold(self) -> "list[Step]":
        """The judgments in force at the end, in the order in which they were given."""
        done = len(self.session.grades)
        known = f"Going on after {done:,}. " if done else ""
        self._say(f"{known}Answers are kept in {self.ledger}. ? shows all keys.")
        with _keys() as keys:
            self._converse(keys)
        return [
            (step, *self.session.runs.pairs.name(pair), self.weight.get(pair), grade)
            for step, (pair, grade) in enumerate(self.session.grades.items(), 1)
        ]

    def _converse(self, keys: Keys) -> None:
        while True:
            chosen = self.session.ask()
            if not chosen:
                reason = self.session.reason() or self.session.exhausted()
                self._say(f"Done: {reason}. u takes back your last answer, any other key ends.")
                keys.forget()
                if keys.next() != "u" or not self._undo():
                    return
            elif not self._answer(chosen[0], keys):
                return

    def _answer(self, choice: "Choice", keys: Keys) -> bool:
        """Get one question answered; False if the assessor quits."""
        pair = choice.pair
        rest = self._show(pair)
        keys.forget()
        while (key := keys.next()) != "q":
            if key in tuple("0123456789"):
                self.session.tell(pair, int(key))
                self.weight[pair] = choice.weight
                self._acknowledge(f"grade {key}")
                return True
            if key == "s":
                self.session.skip(pair)
                self._acknowledge("skipped")
                return True
            if key == "u":
                if self._undo():
                    return True
            else:
                rest = self._other(key, rest)
            self._prompt()
        self.session.give_back(pair)
        return False

    def _other(self, key: str, rest: list[Text]) -> list[Text]:
        """Keys that answer nothing; what is left of the document afterwards."""
        if key == "m":
            self._print(*rest or [Text("That is all of it.")])
            return []
        if key == "r":
            room = max(5, self.console.height - 4)
            standing, now = self.session.standing, self.forecast.now()
            self.console.print(standing_table(standing, room, now))
            if (told := outlook_text(standing, now)) is not None:
                self.console.print(told, soft_wrap=True)
        else:
            name = key if key.strip() and key.isprintable() else "that key"
            self._say(HELP if key == "?" else f"{name} is no answer; ? shows all keys.")
        return rest

    def _undo(self) -> bool:
        pair = self.session.undo()
        if pair is None:
            self._say("There is nothing to undo.")
            return False
        topic, doc = self.session.runs.pairs.name(pair)
        self._say(f"Taken back: {doc} of topic {topic}.")
        return True

    def _acknowledge(self, what: str) -> None:
        """Said only after the ledger has it."""
        now = self.forecast.now()
        self._say(f"{what} · {standing_line(self.session.standing, now)}")
        if now is not None and now.n_judged == len(self.session.judged):
            told = outlook_text(self.session.standing, now)
            self.console.print(told, soft_wrap=True)

    def _show(self, pair: int) -> list[Text]:
        """Print the question; what of the document does not fit on the screen comes back."""
        topic, doc = self.session.runs.pairs.name(pair)
        query, description = self.texts.topics.get(topic, ("", ""))
        document = self.texts.documents.get(doc)
        terms = self.texts.terms(topic)
        self.console.rule(style="dim")
        self._print(Text(f"topic {topic}: {query}".rstrip(": "), style="bold"))
        if description:
            self._print(Text(description, style="dim"))
        title = Text(f"{doc}: " if document and document.title else doc)
        lines: list[Text] = []
        if document is not None:
            title.append(document.title, style="bold")
            body = Text(document.text)
            if terms is not None:
                for text in (title, body):
                    text.highlight_regex(terms, "bold yellow")
            lines = self._wrap(body)
        self._print(title)
        room = max(5, self.console.height - 9) if sys.stdin.isatty() else len(lines)
        self._print(*lines[:room])
        if lines[room:]:
            self._say(f"... {len(lines[room:])} lines more: m")
        self._prompt()
        return lines[room:]

    def _prompt(self) -> None:
        self.console.print("grade 0-9, u undo, s skip, q quit, ? help", style="dim")

    def _print(self, *lines: Text) -> None:
        for text in lines:
            for line in self._wrap(text):
                self.console.print(Text("  ") + line)

    def _wrap(self, text: Text) -> list[Text]:
        return list(text.wrap(self.console, min(WIDEST, self.console.width - 2)))

    def _say(self, text: str) -> None:
        # Names may hold brackets, which are no markup.
        self.console.print(text, markup=False, soft_wrap=True)


QUESTIONS = [
    ("title", "Title", "Judging"),
    ("runs", "Runs: a folder, a file or a glob", "runs"),
    ("topics", "Topics: a file with columns topic, query, description", "topics.tsv"),
    ("documents", "Documents: a jsonl file, a folder or an address with {doc}", ""),
    ("guidelines", "Guidelines: a Markdown file, or a folder with TOPIC.md", ""),
    ("pool", "Pool: a pool.csv of leadline pool; empty: an order decides what is judged", ""),
    ("order", "Order (leadline list orders)", "CertainWinner(p=0.8)"),
    (
        "stop",
        "Budget or stopping rule: how many documents to judge, or a rule (leadline list stops)",
        "WinnerCertain",
    ),
    ("assessors_per_document", "How many judge each document", 1),
]


def ask_for_project(folder: Path, settings: dict[str, Any], scale: str | None) -> str:
    """Fill in what was not given; the scale that was chosen.

    Every answer is checked when it is given, and asked for again if it cannot be used.
    """
    from leadline.judging.project import PATHS, checked, lying_there

    def ask(name: str, words: str, usual: Any) -> Any:
        def use(answer: str) -> Any:
            if isinstance(usual, int) and not str(answer).isdecimal():
                raise click.BadParameter(f"{answer} is not a whole number")
            try:
                return checked(name, type(usual)(answer), folder)
            except ValueError as problem:
                raise click.BadParameter(str(problem)) from None

        try:
            return click.prompt(words, default=usual, value_proc=use, err=True)
        except click.Abort:  # No more answers come.
            raise KeyboardInterrupt from None

    found = {"pool": "pool.csv", **lying_there(folder)}
    for name, words, usual in QUESTIONS:
        if settings[name] is None:
            if settings["pool"] and name == "order":
                continue
            if settings["pool"] and name == "stop":
                words, usual = "Budget: how many documents to judge; empty: the whole pool", ""
            if name in PATHS:
                # Shown as it would be typed here, if it is there.
                path = folder / found.get(name, str(usual))
                usual = os.path.relpath(path) if path != folder and path.exists() else ""
            settings[name] = ask(name, words, usual)
    if settings["merge"] is None and settings["assessors_per_document"] > 1:
        settings["merge"] = ask("merge", "Merge by majority, latest or adjudicated", "majority")
    if scale is None:
        scale = ask("scale", "Scale: binary or graded", "graded")
    return str(scale)
