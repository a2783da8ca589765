"""A judging project: a folder with judge.toml, which says what is judged, how and by how many."""

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from leadline.files.problems import InputError
from leadline.files.whole_file import write_whole
from leadline.judging.merge import Rule
from leadline.judging.room.quality import Thresholds
from leadline.judging.room.rules import Rules
from leadline.judging.room.scale import GRADED, Grade, check_scale
from leadline.judging.room.template import parse_template
from leadline.judging.stops import Stop, stops
from leadline.measures.measure import measures
from leadline.measures.weighted import Weighted
from leadline.orders.order import Order, orders

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
    order: str = "Difference(p=0.8)"
    stop: str = "BestCertain(joint=true)"
    measure: str = ""
    pool: str = ""
    start_from: str = ""
    cheap: str = ""
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
# What is judged here, how and by how many. Edit it by hand; leadline judge reads it at the start.
# Paths are relative to this folder, "" stands for nothing.
"""
ABOUT = {
    "title": "shown on every page",
    "runs": "a folder, a file or a glob",
    "topics": "query and description of each topic, in any format that Leadline reads",
    "documents": 'docs.jsonl (.gz, .zst), a folder, or an address such as "https://host/{doc}"',
    "template": r'fields that are shown, a line each: "title: {name}\nPrice: {price} EUR"',
    "images": "the folder of the images that a template names",
    "guidelines": "Markdown for all topics, or a folder with general.md and TOPIC.md",
    "order": "what to judge next: leadline list orders",
    "stop": "when it is enough: leadline list stops",
    "measure": "what stands on the organiser's page; RBP with the order's p if empty",
    "pool": "a pool.csv to judge instead of what an order asks for",
    "start_from": "qrels that count as judged",
    "cheap": "labels of a cheap judge, a file or a glob: evidence for Doubt, never judgments",
    "assessors_per_document": "how many judge each document",
    "merge": "majority, latest or adjudicated",
    "lease_minutes": "a document that is not judged by then goes to somebody else",
    "batch": "documents an assessor gets at a time",
    "shuffle": "mix each batch, so that its order gives nothing away",
    "topic_batch": "documents of a topic before another is chosen; 1: as the order has it, 0: all",
    "take_topics": "who begins a topic has it whole, and others have other topics",
    "gold_every": "judgments after which a gold question, if there is one, is mixed in; 0: never",
    "gold_feedback": "tell people the right grade of gold questions once they have answered",
    "least_gold": "a person is flagged whose share of gold questions right is below this",
    "least_agreement": "and one who gives the grade of the others less often than this",
    "least_seconds": "and one who takes less time for a document",
    "most_drift": "and one whose agreement of late is lower than before by more than this",
    "blind": "hide which runs return a document and where",
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
        message = f"has no {NAME}; leadline judge --new {folder} makes one"
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
