"""Judgments out and in: qrels, csv, JSON lines and Label Studio's JSON."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any, Literal, get_args

from leadline.files.problems import InputError
from leadline.judging.ledger import Entry
from leadline.judging.merge import Merging, merged
from leadline.judging.replay import in_force
from leadline.judging.room.scale import Grade

Form = Literal["qrels", "csv", "labelstudio", "ledger"]
COLUMNS = [each.name for each in fields(Entry)]
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
        rows = sorted(merged(entries, merging or Merging()).items())
        return "".join(f"{topic} 0 {doc} {grade}\n" for (topic, doc), grade in rows)
    if form == "labelstudio":
        return json.dumps(_tasks(entries, scale), indent=1, ensure_ascii=False) + "\n"
    if form == "ledger":
        return "".join(json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in entries)
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in in_force(entries):
        if entry.act in ("judge", "cannot tell", "adjudicate"):
            writer.writerow({key: _plain(value) for key, value in asdict(entry).items()})
    return out.getvalue()


def _plain(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value


def _tasks(entries: list[Entry], scale: tuple[Grade, ...]) -> list[dict[str, Any]]:
    """Label Studio's tasks: people's judgments are annotations, machines' are predictions."""
    names = {grade.grade: grade.name for grade in scale}
    tasks: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in in_force(entries):
        if entry.act not in ("judge", "cannot tell", "adjudicate"):
            continue
        new = {
            "data": {"topic": entry.topic, "doc": entry.doc},
            "annotations": [],
            "predictions": [],
        }
        task = tasks.setdefault((entry.topic, entry.doc), new)
        label = "Cannot tell" if entry.grade is None else names.get(entry.grade, str(entry.grade))
        result = [
            {
                "from_name": "grade",
                "to_name": "document",
                "type": "choices",
                "value": {"choices": [label]},
                "meta": {"grade": entry.grade, "act": entry.act, "note": entry.note},
            }
        ]
        if entry.kind == "machine":
            task["predictions"].append({"model_version": entry.who, "result": result})
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
    if form == "qrels":
        found = list(_from_qrels(text, who, time))
    elif form == "csv":
        found = list(_from_csv(text, who, time))
    elif form == "labelstudio":
        found = list(_from_tasks(text, who, time, scale))
    else:
        raise ValueError(f"format must be qrels, csv or labelstudio, not {form!r}")
    known = {grade.grade for grade in scale}
    for number, entry in enumerate(found, 1):
        if entry.grade is not None and known and entry.grade not in known:
            listed = ", ".join(map(str, sorted(known)))
            message = f"judgment {number} has grade {entry.grade}; the scale has {listed}"
            raise InputError.of("import", "grade", message)
        if any(not each.isprintable() for each in (entry.who, entry.topic, entry.doc)):
            raise InputError.of(
                "import", "name", f"judgment {number} has a name with odd characters"
            )
    return found


def _from_qrels(text: str, who: str, time: str) -> Iterator[Entry]:
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 4 or not parts[3].lstrip("-").isdigit():
            message = f"expected topic 0 doc grade, found {line[:60]!r}"
            raise InputError.of("import", "qrels", message, number)
        if int(parts[3]) >= 0:
            yield Entry("judge", parts[0], parts[2], int(parts[3]), who, time)


def _from_csv(text: str, who: str, time: str) -> Iterator[Entry]:
    reader = csv.DictReader(io.StringIO(text))
    missing = [name for name in LEAST if name not in (reader.fieldnames or ())]
    if missing:
        raise InputError.of("import", "csv", f"has no column {missing[0]}", 1)
    for number, row in enumerate(reader, 2):
        try:
            act = row.get("act") or ("judge" if row["grade"] else "cannot tell")
            yield Entry(
                act,  # type: ignore[arg-type]
                row["topic"] or "",
                row["doc"] or "",
                int(row["grade"]) if row["grade"] else None,
                row.get("who") or who,
                row.get("time") or time,
                row.get("note") or "",
                None,
                float(row["seconds"]) if row.get("seconds") else None,
                row.get("kind") or "person",  # type: ignore[arg-type]
            )
        except (ValueError, TypeError, csv.Error) as error:
            raise InputError.of("import", "csv", str(error), number) from None


def _from_tasks(text: str, who: str, time: str, scale: tuple[Grade, ...]) -> Iterator[Entry]:
    grades = {grade.name.lower(): grade.grade for grade in scale}
    try:
        tasks = json.loads(text)
        if not isinstance(tasks, list):
            raise TypeError("expected a list of tasks")
        for task in tasks:
            topic, doc = str(task["data"]["topic"]), str(task["data"]["doc"])
            for each in task.get("annotations", []):
                by = each.get("completed_by") or who
                name = by.get("email", who) if isinstance(by, dict) else str(by)
                when = str(each.get("created_at") or time)
                seconds = each.get("lead_time")
                yield from _results(each, topic, doc, name, when, seconds, "person", grades)
            for each in task.get("predictions", []):
                name = str(each.get("model_version") or who)
                yield from _results(each, topic, doc, name, time, None, "machine", grades)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        message = f"is no export of Label Studio with topic and doc in its data: {error}"
        raise InputError.of("import", "labelstudio", message) from None


def _results(
    each: dict[str, Any],
    topic: str,
    doc: str,
    who: str,
    time: str,
    seconds: float | None,
    kind: Any,
    grades: dict[str, int],
) -> Iterator[Entry]:
    for result in each["result"]:
        if result.get("type") != "choices":
            continue
        label = str(result["value"]["choices"][0])
        meta = result.get("meta") or {}
        note, act = str(meta.get("note") or ""), meta.get("act")
        if label.lower() == "cannot tell":
            yield Entry("cannot tell", topic, doc, None, who, time, note, None, seconds, kind)
            continue
        grade = grades.get(label.lower())
        if grade is None:
            grade = int(label)
        done = "adjudicate" if act == "adjudicate" else "judge"
        yield Entry(done, topic, doc, grade, who, time, note, None, seconds, kind)  # type: ignore[arg-type]
