"""Judgments out and in: qrels, csv, JSON lines and Label Studio's JSON, checked and undone."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Connection, func, insert, select, update

from leadline.app.schema import entries, imports
from leadline.app.sql_ledger import SqlLedger
from leadline.io.json_table import loaded
from leadline.io.lines import is_number, quoted, whole_number
from leadline.io.problems import InputError
from leadline.io.source import Source, check_text
from leadline.io.tabular import read_table
from leadline.io.trec import check_qrels, qrels_text
from leadline.judging.ledger import Act, Entry, in_force, in_force_at
from leadline.judging.merge import Merging, merged
from leadline.judging.project import Grade

LONGEST_NAME = 500
LONGEST_PERSON = 200
LONGEST_TIME = 40
LONGEST_WORDS = 100_000
MOST_SECONDS = 10_000_000
"""More would be no time that somebody looked at a document, and sums of it no numbers."""


def fault(entry: Entry, now: str) -> str | None:
    """What is wrong with an entry, None if nothing is; `now` is the time where none was given.

    >>> fault(Entry("judge", "1", "d", 1, "ann", "soon"), "now")
    "has a time that is none, such as 2030-01-31T12:00: 'soon'"
    """
    if any(not each.isprintable() for each in (entry.who, entry.topic, entry.doc)):
        return "has a name with odd characters"
    if max(len(entry.topic), len(entry.doc)) > LONGEST_NAME or len(entry.who) > LONGEST_PERSON:
        return f"has a name of more than {LONGEST_NAME} characters, or {LONGEST_PERSON} of a person"
    if max(len(entry.note), len(entry.model), len(entry.prompt)) > LONGEST_WORDS:
        return f"has a note of more than {LONGEST_WORDS:,} characters"
    if any("\0" in each for each in (entry.note, entry.model, entry.prompt)):
        return "has a NUL in its words, which no database takes"
    if (entry.seconds or 0) > MOST_SECONDS:
        return f"took {entry.seconds:.3g} seconds; {MOST_SECONDS:,} are believed"
    if entry.time != now and not is_time(entry.time):
        return f"has a time that is none, such as 2030-01-31T12:00: {entry.time!r:.60}"
    return None


def is_time(text: str) -> bool:
    """Whether a text is a date and time, or a date.

    >>> is_time("2030-01-31T12:00:00.123+00:00"), is_time("2030-01-31T12:00Z"), is_time("")
    (True, True, False)
    """
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return len(text) <= LONGEST_TIME


Form = Literal["qrels", "csv", "labelstudio", "ledger"]
COLUMNS = [each.name for each in fields(Entry)]
JUDGMENTS = ("judge", "cannot tell", "adjudicate")
LEAST = ("topic", "doc", "grade")


def export(
    entries: list[Entry],
    form: str,
    merging: Merging | None = None,
    scale: tuple[Grade, ...] = (),
) -> str:
    """Judgments as text.

    qrels holds one grade a pair, merged as a room with these rules does. csv holds every judgment
    in force, one a row and each person's apart, and ledger all that ever happened.
    """
    if form not in get_args(Form):
        raise ValueError(f"format must be one of {', '.join(get_args(Form))}, not {form!r}")
    if form == "qrels":
        return qrels_text(dict(sorted(merged(entries, merging or Merging()).items())))
    if form == "labelstudio":
        return json.dumps(_tasks(entries, scale), indent=1, ensure_ascii=False) + "\n"
    if form == "ledger":
        return "".join(json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in entries)
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in in_force(entries):
        if entry.act in JUDGMENTS:
            writer.writerow({key: plain_cell(value) for key, value in asdict(entry).items()})
    return out.getvalue()


FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""What a spreadsheet might take for a formula, in wide letters too, or what we made of it."""


def plain_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula.

    >>> plain_cell("=1"), _as_it_was("'=1"), _as_it_was(plain_cell("'=1")), _as_it_was("'tis")
    ("'=1", '=1', "'=1", "'tis")
    """
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def _as_it_was(cell: Any) -> Any:
    """The text of a cell that was made plain."""
    made = isinstance(cell, str) and cell.startswith("'") and FORMULA.match(cell)
    return cell[1:] if made else cell


def _tasks(entries: list[Entry], scale: tuple[Grade, ...]) -> list[dict[str, Any]]:
    """Label Studio's tasks: people's judgments are annotations, machines' are predictions."""
    names = {grade.grade: grade.name for grade in scale}
    tasks: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in in_force(entries):
        if entry.act not in JUDGMENTS:
            continue
        new = {
            "data": {"topic": entry.topic, "doc": entry.doc},
            "annotations": [],
            "predictions": [],
        }
        task = tasks.setdefault((entry.topic, entry.doc), new)
        label = "Cannot tell" if entry.grade is None else names.get(entry.grade, str(entry.grade))
        meta: dict[str, Any] = {"grade": entry.grade, "act": entry.act, "note": entry.note}
        result = [
            {
                "from_name": "grade",
                "to_name": "document",
                "type": "choices",
                "value": {"choices": [label]},
                "meta": meta,
            }
        ]
        if entry.kind == "machine":
            meta |= {"model": entry.model, "prompt": entry.prompt, "time": entry.time}
            told = {"model_version": entry.who, "score": entry.confidence, "result": result}
            task["predictions"].append(told)
        else:
            task["annotations"].append(
                {
                    "completed_by": {"email": entry.who},
                    "created_at": entry.time,
                    "lead_time": entry.seconds,
                    "result": result,
                }
            )
    return list(tasks.values())


def read_judgments(
    text: str, form: str, who: str, time: str, scale: tuple[Grade, ...]
) -> list[Entry]:
    """Judgments to add from a text; an InputError names the line that is wrong.

    Rows that do not say who judged are taken as this person's.
    """
    readers = {"qrels": _from_qrels, "csv": _from_csv, "labelstudio": _from_tasks}
    if form not in readers:
        raise ValueError(f"format must be qrels, csv or labelstudio, not {form!r}")
    # Half a letter, which JSON may hold, is no UTF-8 and refused as such.
    source = Source("import", held=text.encode("utf-8", "surrogatepass"))
    known = {grade.grade for grade in scale}
    found = []
    for line, entry in readers[form](source, who, time, scale):
        if entry.grade is not None and known and entry.grade not in known:
            listed = ", ".join(map(str, sorted(known)))
            message = f"{_of(entry)} has grade {entry.grade}; the scale has {listed}"
            raise InputError.of("import", "grade", message, line)
        wrong = fault(entry, time)
        if wrong is not None:
            raise InputError.of("import", "entry", f"{_of(entry)} {wrong}", line)
        found.append(entry)
    return found


def _of(entry: Entry) -> str:
    return f"the judgment of {quoted(entry.doc, 30)} for topic {quoted(entry.topic, 30)}"


Numbered = Iterator[tuple[int | None, Entry]]
"""Entries with the line of each, where lines tell them apart."""


def _from_qrels(source: Source, who: str, time: str, scale: tuple[Grade, ...]) -> Numbered:
    lines, number, problems = check_qrels(source)
    if problems:
        raise InputError(problems)
    if lines.inclusion is not None or lines.stratum is not None:
        message = "expected topic 0 doc grade, found five fields"
        raise InputError.of(source.name, "fields", message, int(number[0]))
    columns = number.tolist(), lines.topic.to_list(), lines.doc.to_list(), lines.grade.tolist()
    for line, topic, doc, grade in zip(*columns, strict=True):
        if grade >= 0:
            yield line, Entry("judge", topic, doc, grade, who, time)


def _from_csv(source: Source, who: str, time: str, scale: tuple[Grade, ...]) -> Numbered:
    table = read_table(source, ",")
    missing = [name for name in LEAST if name not in table.columns]
    if missing:
        raise InputError.of(source.name, "csv", f"has no column {missing[0]}", 1)
    for cells in table.iter_rows(named=True):
        row: dict[str, Any] = {key: _as_it_was(cell) for key, cell in cells.items()}
        try:
            yield row["line"], _of_row(row, who, time)
        except ValueError as error:
            raise InputError.of(source.name, "csv", str(error), row["line"]) from None


def _of_row(row: dict[str, Any], who: str, time: str) -> Entry:
    act: Any = row.get("act") or ("judge" if row["grade"] else "cannot tell")
    if act not in JUDGMENTS:
        raise ValueError(f"act must be one of {', '.join(JUDGMENTS)}, not {act!r:.60}")
    seconds, sure = row.get("seconds"), row.get("confidence")
    for name, given in (("seconds", seconds), ("confidence", sure)):
        if given and not is_number(given):
            raise ValueError(f"{name} must be a number, not {given!r:.60}")
    return Entry(
        act,
        row["topic"],
        row["doc"],
        _grade(row["grade"]) if row["grade"] else None,
        row.get("who") or who,
        row.get("time") or time,
        row.get("note") or "",
        None,
        float(seconds) if seconds else None,
        row.get("kind") or "person",
        row.get("model") or "",
        row.get("prompt") or "",
        float(sure) if sure else None,
    )


def _grade(text: str) -> int:
    grade = whole_number(text)
    if grade is None:
        raise ValueError(f"the grade must be a whole number, not {quoted(text, 30)}")
    return grade


def _from_tasks(source: Source, who: str, time: str, scale: tuple[Grade, ...]) -> Numbered:
    grades = {grade.name.lower(): grade.grade for grade in scale}
    try:
        check_text(source)
        tasks = loaded(source.name, source.data)
        if not isinstance(tasks, list):
            raise TypeError("expected a list of tasks")
        for task in tasks:
            topic, doc = (_name(task["data"][key]) for key in ("topic", "doc"))
            for each in task.get("annotations", []):
                by = each.get("completed_by") or who
                name = _name((by.get("email") or who) if isinstance(by, dict) else by)
                when = _words(each, "created_at") or time
                seconds = _number(each, "lead_time")
                yield from _results(each, topic, doc, name, when, seconds, "person", grades)
            for each in task.get("predictions", []):
                name = _words(each, "model_version") or who
                for line, entry in _results(each, topic, doc, name, time, None, "machine", grades):
                    yield line, _with_source(entry, each)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        # Of an error that has a line, the line stays.
        first = error.problems[0] if isinstance(error, InputError) else None
        why = first.message if first else str(error)
        message = f"is no export of Label Studio with topic and doc in its data: {why}"
        line = first.line if first else None
        raise InputError.of(source.name, "labelstudio", message, line) from None


def _with_source(entry: Entry, prediction: dict[str, Any]) -> Entry:
    """A machine's judgment with what a prediction says of its model, prompt and confidence."""
    meta = prediction["result"][0].get("meta") or {}
    sure = _number(prediction, "score")
    return replace(
        entry,
        time=_words(meta, "time") or entry.time,
        model=_words(meta, "model"),
        prompt=_words(meta, "prompt"),
        confidence=sure,
    )


def _name(value: object) -> str:
    if type(value) not in (str, int):
        raise ValueError(f"names must be text, not {value!r:.60}")
    return str(value)


def _number(of: dict[str, Any], key: str) -> float | None:
    value = of.get(key)
    if value is None:
        return None
    if type(value) not in (int, float) or not abs(value) < 1e300:
        raise ValueError(f"{key} must be a number, not {value!r:.60}")
    return float(value)


def _words(of: dict[str, Any], key: str) -> str:
    """A text, empty where there is none."""
    value = of.get(key)
    if value is not None and type(value) not in (str, int):
        raise ValueError(f"{key} must be text, not {value!r:.60}")
    return str(value or "")


def _results(
    each: dict[str, Any],
    topic: str,
    doc: str,
    who: str,
    time: str,
    seconds: float | None,
    kind: Any,
    grades: dict[str, int],
) -> Numbered:
    for result in each["result"]:
        if result.get("type") != "choices":
            continue
        label = str(result["value"]["choices"][0])
        meta = result.get("meta") or {}
        note, act = _words(meta, "note"), meta.get("act")
        if label.lower() == "cannot tell":
            yield None, Entry("cannot tell", topic, doc, None, who, time, note, None, seconds, kind)
            continue
        grade = grades.get(label.lower())
        if grade is None:
            grade = _grade(label)
        done: Act = "adjudicate" if act == "adjudicate" else "judge"
        yield None, Entry(done, topic, doc, grade, who, time, note, None, seconds, kind)


class UnknownImport(ValueError):
    """There is no such import, or it was undone."""


@dataclass(frozen=True)
class Import:
    """What was imported, by whom, when, in which format, and when it was undone, if it was."""

    id: int
    who: str
    time: str
    form: str
    added: int
    undone: str | None = None


@dataclass(frozen=True)
class Intake:
    """The imports of a ledger."""

    ledger: SqlLedger

    def all(self) -> list[Import]:
        """Every import, the first one first."""
        with self.ledger.database.engine.connect() as connection:
            rows = connection.execute(select(imports).order_by(imports.c.id))
            return [Import(**row) for row in rows.mappings()]

    def add(self, added: list[Entry], who: str, time: str, form: str) -> int:
        """Write all of it or nothing; its number."""
        with self.ledger.database.engine.connect() as connection:
            number = int(connection.scalar(select(func.max(imports.c.id))) or 0) + 1
        made = Import(number, who, time, form, len(added))

        def note(connection: Connection) -> None:
            connection.execute(insert(imports), [asdict(made)])

        self.ledger.write(added, batch=number, also=note)
        return number

    def undo(self, number: int, who: str, time: str) -> int:
        """Take back what of an import is still in force; how many judgments that were.

        An undo takes back the last act of a person on a pair. What that person did there after
        the import is taken back first, and stands again afterwards.
        """
        known = next((each for each in self.all() if each.id == number), None)
        if known is None or known.undone:
            raise UnknownImport(f"there is no import {number} that could be undone")
        first, end = self._where(number)
        acts: dict[tuple[str, str, str], list[int]] = {}
        for at in in_force_at(self.ledger.entries):
            entry = self.ledger.entries[at]
            acts.setdefault((entry.topic, entry.doc, entry.who), []).append(at)
        written: list[Entry] = []
        n = 0
        for standing in acts.values():
            gone = [at for at in standing if first <= at < end]
            if not gone:
                continue
            n += len(gone)
            since = [self.ledger.entries[at] for at in standing if at >= gone[0]]
            note = f"import {number} was undone by {who}"
            written += [replace(_undo(entry), time=time, note=note) for entry in reversed(since)]
            written += [self.ledger.entries[at] for at in standing if at >= end]

        def tell(connection: Connection) -> None:
            done = update(imports).where(imports.c.id == number).values(undone=time)
            connection.execute(done)

        self.ledger.write(written, also=tell)
        return n

    def _where(self, number: int) -> tuple[int, int]:
        """Where in the ledger an import begins and ends: it was written at one go."""
        mine = entries.c.batch == number
        with self.ledger.database.engine.connect() as connection:
            first = connection.scalar(select(func.min(entries.c.id)).where(mine))
            if first is None:
                return 0, 0
            before = select(func.count()).select_from(entries).where(entries.c.id < first)
            start = int(connection.scalar(before) or 0)
            n = connection.scalar(select(func.count()).select_from(entries).where(mine))
            return start, start + int(n or 0)


def _undo(entry: Entry) -> Entry:
    return Entry("undo", entry.topic, entry.doc, who=entry.who, kind=entry.kind)
