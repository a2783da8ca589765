"""Judgments out and in: qrels, csv, JSON lines and Label Studio's JSON."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from typing import Any, Literal, get_args

from leadline.files.faults import is_number, shown, whole_number
from leadline.files.problems import InputError
from leadline.files.source import Source, check_text
from leadline.formats.csv_table import read_table
from leadline.formats.json_table import loaded
from leadline.formats.trec_qrels import check_qrels, qrels_text
from leadline.judging.ledger import Act, Entry
from leadline.judging.merge import Merging, merged
from leadline.judging.replay import in_force
from leadline.judging.room.entry_checks import fault
from leadline.judging.room.scale import Grade

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
    return f"the judgment of {shown(entry.doc, 30)} for topic {shown(entry.topic, 30)}"


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
        raise ValueError(f"the grade must be a whole number, not {shown(text, 30)}")
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
