"""A judging project: a folder with judge.toml, which says what is judged, how and by how many."""

import glob
import json
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from leadline.data.documents import Document
from leadline.io.documents import IDS, NAMES
from leadline.io.inputs import QRELS_NAMES, runs_from
from leadline.io.json_table import json_objects
from leadline.io.problems import InputError, Progress
from leadline.io.source import Source
from leadline.io.topics import FILES, read_topics
from leadline.io.write import write_whole
from leadline.judging.merge import Merging, Rule
from leadline.judging.order import Order, orders
from leadline.judging.stops import Stop, stops
from leadline.measures.measure import Weighted, measures
from leadline.registry import check_choice

TAKEN = frozenset("cfhnsu?/")
"""Keys that do something else: cannot tell, find, help, note, skip, undo."""


@dataclass(frozen=True)
class Grade:
    """One step of the scale."""

    grade: int
    name: str
    key: str = ""
    meaning: str = ""

    def __post_init__(self) -> None:
        if type(self.grade) is not int or not 0 <= self.grade <= 1000:
            raise ValueError(f"a grade must be a whole number from 0 to 1000, not {self.grade!r}")
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError(f"grade {self.grade} needs a name")
        if not self.key:
            object.__setattr__(self, "key", str(self.grade))
        key = self.key
        if not isinstance(key, str) or len(key) != 1 or not key.isascii() or not key.isalnum():
            raise ValueError(f"the key of grade {self.grade} must be 0-9 or a letter, not {key!r}")
        if key.lower() in TAKEN:
            raise ValueError(f"the key {key} of grade {self.grade} is taken: choose another")
        object.__setattr__(self, "key", key.lower())


def check_scale(grades: tuple[Grade, ...]) -> None:
    """A ValueError if two grades are the same, or share a key."""
    if len(grades) < 2:
        raise ValueError("a scale needs two grades at least")
    for name in ("grade", "key"):
        values = [getattr(grade, name) for grade in grades]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise ValueError(f"two grades have the {name} {twice}")


BINARY = (
    Grade(0, "Not relevant", "0", "Says nothing about the topic, or only mentions it in passing."),
    Grade(1, "Relevant", "1", "Holds something that a report on the topic would use."),
)
GRADED = (
    Grade(0, "Not relevant", "0", "Says nothing about the topic, or only mentions it in passing."),
    Grade(1, "Partly", "1", "Touches the topic, but answers little of it."),
    Grade(2, "Relevant", "2", "Holds something that a report on the topic would use."),
    Grade(3, "Highly", "3", "Answers the topic by itself."),
)
SCALES = {"binary": BINARY, "graded": GRADED}


@dataclass(frozen=True)
class Rules(Merging):
    """How work is given out and judgments are merged."""

    grades: tuple[int, ...] = (0, 1)
    lease: float = 1800.0
    batch: int = 1
    shuffle: bool = False
    topic_batch: int = 1
    take_topics: bool = False
    gold_every: int = 20
    gold_feedback: bool = True


@dataclass(frozen=True)
class Thresholds:
    """What is expected of a person; 0 expects nothing, and a drift of 1 allows all."""

    least_gold: float = 0.7
    least_agreement: float = 0.5
    least_seconds: float = 2.0
    most_drift: float = 0.2

    def __post_init__(self) -> None:
        for name in ("least_gold", "least_agreement", "most_drift"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)!r}")
        if not 0 <= self.least_seconds <= 3600:
            raise ValueError(f"least_seconds must be from 0 to 3600, not {self.least_seconds!r}")


FIELD = re.compile(r"\{([^{}]+)\}")
MEANT = ("title", "text", "image", "link")
"""Labels that say where a line goes; a line with any other is shown beside its label."""

WEB = re.compile(r"https?://[^/\s]+", re.IGNORECASE)


@dataclass(frozen=True)
class Template:
    """Lines of a label and of what stands there, with {field} for a field of the document.

    A line of which no field is there is left out. {a.b} is the field b within a.
    """

    lines: tuple[tuple[str, str], ...]

    @property
    def fields(self) -> list[str]:
        """The fields that it names."""
        return list(dict.fromkeys(name for _, words in self.lines for name in FIELD.findall(words)))

    def seen(self, record: dict[str, Any], names: Collection[str]) -> list[str]:
        """Which of these fields a document has."""
        return [name for name in names if _field(record, name) is not None]

    def fill(self, record: dict[str, Any]) -> Document:
        """A document as the template shows it.

        >>> shown = parse_template("title: {name}\\nPrice: {price} EUR\\nSize: {size}")
        >>> shown.fill({"name": "Anchor", "price": 80, "text": "It holds."})
        Document(title='Anchor', text='It holds.', fields=(('Price', '80 EUR'),), image='', link='')
        """
        said = {"title": _text(record.get("title")), "text": _text(record.get("text"))}
        rows = []
        for label, words in self.lines:
            values = {name: _text(_field(record, name)) for name in FIELD.findall(words)}
            there = any(values.values()) or not values
            filled = FIELD.sub(lambda found: values[found[1]], words).strip() if there else ""  # noqa: B023
            # What lies elsewhere is not shown here, and what is no address does not lead there.
            elsewhere = WEB.match(filled) is not None
            if (
                label in MEANT
                and (label != "image" or not elsewhere)
                and (label != "link" or elsewhere)
            ):
                said[label] = filled
            elif filled:
                rows.append((label, filled))
        image, link = said.get("image", ""), said.get("link", "")
        return Document(said["title"], said["text"], tuple(rows), image, link)


def parse_template(text: str) -> Template:
    """A template from its lines; a ValueError if one of them is none."""
    lines = []
    for line in filter(None, map(str.strip, text.splitlines())):
        label, colon, words = line.partition(":")
        if not colon or not label.strip() or not FIELD.search(words):
            raise ValueError(
                f"template: a line is a label, a colon and {{field}}s, not {line!r:.60}"
            )
        label = label.strip()
        lines.append((label.lower() if label.lower() in MEANT else label, words.strip()))
    labels = [label for label, _ in lines]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ValueError(f"template: has {twice} twice")
    return Template(tuple(lines))


def _filled(words: str, record: dict[str, Any]) -> str:
    """A line's words with the document's fields in their places, nothing if it has none of them."""
    values = {name: _text(_field(record, name)) for name in FIELD.findall(words)}
    if not any(values.values()):
        return ""
    return FIELD.sub(lambda found: values[found[1]], words).strip()


def _field(record: Any, name: str) -> Any:
    if isinstance(record, dict) and name in record:
        return record[name]
    first, dot, rest = name.partition(".")
    return _field(record.get(first), rest) if dot and isinstance(record, dict) else None


def _text(value: Any) -> str:
    """A field in words.

    >>> _text(None), _text(3.5), _text(["red", "blue"]), _text(True), _text({"a": 1})
    ('', '3.5', 'red, blue', 'yes', '{"a": 1}')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    return json.dumps(value, ensure_ascii=False)


def read_records(
    path: Path, wanted: Collection[str], progress: Progress | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The wanted documents of a file of JSON lines, with all their fields."""
    source = Source(str(path), path)
    if not path.is_file() or source.head.lstrip()[:1] != b"{":
        message = "a template is for documents as JSON lines, which this is not"
        raise InputError.of(str(path), "template", message)
    done = 0
    for number, record in json_objects(source):
        name = next((record[key] for key in IDS if record.get(key) is not None), None)
        if type(name) not in (str, int):
            message = f"has no id: expected one of {', '.join(IDS)}"
            raise InputError.of(str(path), "document", message, number)
        if str(name) in wanted:
            yield str(name), record
            done += 1
            if progress is not None and done % 1000 == 0:
                progress(done, len(wanted))


NAME = "judge.toml"


@dataclass(frozen=True)
class Project:
    """What judge.toml says. Paths are relative to its folder; an empty one stands for nothing."""

    title: str = "Judging"
    runs: str = "runs"
    topics: str = "topics.tsv"
    documents: str = ""
    guidelines: str = ""
    template: str = ""
    images: str = ""
    order: str = "CertainWinner(p=0.8)"
    stop: str = "WinnerCertain(joint=true)"
    measure: str = ""
    pool: str = ""
    start_from: str = ""
    labels: str = ""
    assessors_per_document: int = 1
    merge: Rule = "majority"
    lease_minutes: float = 30.0
    batch: int = 1
    shuffle: bool = False
    topic_batch: int = 10
    take_topics: bool = False
    gold_every: int = 20
    gold_feedback: bool = True
    least_gold: float = Thresholds.least_gold
    least_agreement: float = Thresholds.least_agreement
    least_seconds: float = Thresholds.least_seconds
    most_drift: float = Thresholds.most_drift
    blind: bool = True
    published: bool = False
    grades: tuple[Grade, ...] = GRADED

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_type(each.name, getattr(self, each.name), each.default)
        check_scale(self.grades)
        check_assessors(self.assessors_per_document)
        if not 1 <= self.batch <= 1000:
            raise ValueError("batch must be from 1 to 1000")
        if not 0 <= self.topic_batch <= 100_000:
            raise ValueError("topic_batch must be from 0 to 100000")
        if not 0 <= self.gold_every <= 10_000:
            raise ValueError("gold_every must be from 0 to 10000")
        if not 0.1 <= self.lease_minutes <= 100_000:
            raise ValueError("lease_minutes must be from 0.1 to 100000")
        check_address(self.documents)
        _ = parse_template(self.template)
        if self.template and (not self.documents or "://" in self.documents):
            raise ValueError(
                "template: is for documents of a file of JSON lines, which documents must name"
            )
        _ = self.made_order, self.made_stop, self.made_measure, self.rules, self.thresholds

    @property
    def made_order(self) -> Order:
        """The order that is named."""
        return orders.parse(self.order)

    @property
    def made_stop(self) -> Stop | None:
        """The stopping rule that is named."""
        return stops.parse(self.stop) if self.stop else None

    @property
    def made_measure(self) -> Weighted | None:
        """The measure that is named."""
        if not self.measure:
            return None
        made = measures.parse(self.measure)
        if not isinstance(made, Weighted):
            raise ValueError(f"{self.measure} has no weights by rank; name RBP, P, DCG or SDCG")
        return made

    @property
    def rules(self) -> Rules:
        """How work is given out and judgments are merged."""
        return Rules(
            self.merge,
            self.assessors_per_document,
            tuple(grade.grade for grade in self.grades),
            self.lease_minutes * 60,
            self.batch,
            self.shuffle,
            self.topic_batch,
            self.take_topics,
            self.gold_every,
            self.gold_feedback,
        )

    @property
    def thresholds(self) -> Thresholds:
        """What is expected of each person."""
        return Thresholds(
            self.least_gold, self.least_agreement, self.least_seconds, self.most_drift
        )

    def text(self) -> str:
        """As judge.toml, with a line on what each thing is."""
        lines = [HEAD]
        for each in fields(self):
            if each.name != "grades":
                value = _toml(getattr(self, each.name))
                lines.append(f"{each.name} = {value}  # {ABOUT[each.name]}")
        for grade in self.grades:
            lines.append("\n[[grades]]")
            lines += [f"{each.name} = {_toml(getattr(grade, each.name))}" for each in fields(grade)]
        return "\n".join(lines) + "\n"


HEAD = """\
# Settings of a judging project. leadline judge reads them when it starts.
# Paths are relative to this folder; "" means that a setting is not used.
"""
ABOUT = {
    "title": "heading of every page",
    "runs": "a folder, a file or a glob",
    "topics": "query and description of each topic, in any format that Leadline reads",
    "documents": 'docs.jsonl (.gz, .zst), a folder, or an address such as "https://host/{doc}"',
    "template": r'fields to show, one on each line: "title: {name}\nPrice: {price} EUR"',
    "images": "folder of the images that the template names",
    "guidelines": "Markdown for all topics, or a folder with general.md and TOPIC.md",
    "order": "which pairs are judged next if there is no pool: leadline list orders",
    "stop": "budget such as 200, or a stopping rule (leadline list stops); empty: none",
    "measure": "measure of the organiser's page; empty: RBP with the p of the order",
    "pool": "a pool.csv; its pairs are judged, and no others",
    "start_from": "qrels that count as judged; their pairs are not judged again",
    "labels": "labels of a noisy judge, a file or a glob: evidence for LikelyWinner only",
    "assessors_per_document": "number of people who judge each document",
    "merge": "how their judgments become one grade: majority, latest or adjudicated",
    "lease_minutes": "minutes after which an unjudged document goes to another assessor",
    "batch": "documents that an assessor is given at a time",
    "shuffle": "shuffle each batch, so that its order reveals nothing",
    "topic_batch": "documents of one topic in a row; 1: the order decides, 0: the whole topic",
    "take_topics": "an assessor who begins a topic judges all of it",
    "gold_every": "judgments between two gold questions; 0: no gold questions",
    "gold_feedback": "show the right grade after each gold question",
    "least_gold": "flag assessors whose share of right gold questions is lower",
    "least_agreement": "flag assessors who agree with the others on a lower share of documents",
    "least_seconds": "flag assessors who spend fewer seconds on a document",
    "most_drift": "flag assessors whose agreement fell by more than this share",
    "blind": "hide from assessors which runs return a document, and at which rank",
    "published": "show the leaderboard of all runs to the groups",
}


def check_assessors(n: int) -> None:
    """A ValueError if nobody can judge so."""
    if not 1 <= n <= 100:
        raise ValueError("assessors_per_document must be from 1 to 100")


def check_address(documents: str) -> None:
    """A ValueError if documents are to be had at an address that cannot be one."""
    if "://" not in documents:
        return
    if not re.match(r"https?://[^/\s]+/", documents):
        raise ValueError("documents: an address begins with http:// or https:// and a host")
    if "{doc}" not in documents:
        raise ValueError("documents: an address needs {doc} where the document's name goes")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(escapes.get(character, character) for character in str(value)) + '"'


def _check_type(name: str, value: Any, default: Any) -> None:
    wanted = type(default)
    if wanted is float and type(value) is int:
        return
    if type(value) is not wanted:
        words = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
        raise ValueError(f"{name} must be {words.get(wanted, 'a list of grades')}, not {value!r}")


def read_project(folder: Path) -> Project:
    """What a folder's judge.toml says; an InputError that names what is wrong in it."""
    path = folder / NAME
    if not path.is_file():
        message = f"has no {NAME}; leadline judge --init {folder} makes one"
        raise InputError.of(str(folder), "project", message)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return _project(table)
    except RecursionError:
        raise InputError.of(str(path), "project", "has lists within lists without end") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise InputError.of(str(path), "project", str(error)) from None


def _project(table: dict[str, Any]) -> Project:
    known = [each.name for each in fields(Project)]
    unknown = next((name for name in table if name not in known), None)
    if unknown is not None:
        raise ValueError(f"there is no setting {unknown}; known are {', '.join(known)}")
    if "grades" in table:
        if not isinstance(table["grades"], list):
            raise ValueError("grades must be written as [[grades]], one for each")
        table["grades"] = tuple(_grade(each) for each in table["grades"])
    return Project(**table)


def _grade(table: Any) -> Grade:
    known = [each.name for each in fields(Grade)]
    if not isinstance(table, dict) or not set(table) <= set(known) or "grade" not in table:
        raise ValueError(f"a grade has {', '.join(known)}; found {table!r}")
    return Grade(**{"name": str(table["grade"]), **table})


def write_project(folder: Path, project: Project) -> Path:
    """Make judge.toml; a ValueError if there is one."""
    check_new(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / NAME, project.text())
    return folder / NAME


def check_new(folder: Path) -> None:
    """A ValueError if a folder has a judge.toml."""
    if (folder / NAME).exists():
        raise ValueError(f"{folder / NAME}: is there already; edit it, or choose another folder")


PATHS = ("runs", "topics", "documents", "guidelines", "pool", "start_from")


def located(typed: str, folder: Path) -> str:
    """A path as judge.toml has it; a ValueError if nothing lies there.

    It is looked for from the working folder, then from the project's. What lies in the project's
    folder is kept relative to it, so that the folder can be moved, anything else as a whole path.
    """
    if not typed or "://" in typed:
        return typed
    home = folder.resolve()
    for place in dict.fromkeys([Path.cwd(), home]):
        path = Path(os.path.normpath(place / typed))
        if path.exists() or glob.glob(str(path)):  # noqa: PTH207
            return path.relative_to(home).as_posix() if path.is_relative_to(home) else str(path)
    also = "" if home == Path.cwd() else f", nor in {folder}"
    raise ValueError(f"{typed}: there is no such file or folder here{also}")


def checked(name: str, value: Any, folder: Path) -> Any:
    """A setting as judge.toml has it; a ValueError that says what is wrong with it."""
    if name in PATHS:
        value = located(str(value), folder)
    if name == "stop" and value:
        value = str(stops.parse(str(value)))
    check = CHECKS.get(name)
    if name == "runs" and not value:
        raise ValueError("without runs there is nothing to judge: name a folder, a file or a glob")
    if check is not None and value != "":
        check(value if name not in PATHS or "://" in value else str(folder / value))
    return value


def _has_guidelines(path: str) -> None:
    if Path(path).is_dir() and not any(Path(path).glob("*.md")):
        raise ValueError(f"{path}: holds no guidelines, which end in .md")


def _is_scale(name: str) -> None:
    if name not in SCALES:
        raise ValueError(f"a scale is {' or '.join(SCALES)}, not {name}")


CHECKS: dict[str, Callable[[Any], object]] = {
    "runs": runs_from,
    "topics": read_topics,
    "documents": check_address,
    "guidelines": _has_guidelines,
    "order": orders.parse,
    "stop": stops.parse,
    "assessors_per_document": check_assessors,
    "scale": _is_scale,
    "merge": lambda rule: check_choice("merge", rule, Rule),
}


def lying_there(folder: Path) -> dict[str, str]:
    """Topics, documents, guidelines and qrels that a folder holds under their usual names."""
    packed = ("", ".gz", ".zst")
    usual = {
        "topics": [name + end for name in FILES for end in packed],
        "documents": [*(name + end for name in NAMES for end in packed), "documents"],
        "guidelines": ["guidelines.md", "guidelines"],
        # A folder named qrels is not itself the qrels.
        "start_from": [
            name + end for name in QRELS_NAMES for end in packed if not (folder / name).is_dir()
        ],
    }
    found = {
        setting: next((name for name in names if (folder / name).exists()), None)
        for setting, names in usual.items()
    }
    return {setting: name for setting, name in found.items() if name is not None}
