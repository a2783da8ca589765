"""Runs and qrels, line by line, from the rules of docs/how-to/formats.md and nothing else."""

import re
from dataclasses import dataclass, field

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]+")
WHITE = re.compile(rb"[\x01-\x09\x0b-\x20]+")


@dataclass
class Parsed:
    """Rows with the number of their line before them, and the code of every faulty line's fault.

    Line 0 stands for the file as a whole.
    """

    rows: list[tuple[int, *tuple[object, ...]]] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)


def field_lines(data: bytes) -> list[tuple[int, list[bytes]]] | str:
    """Numbered lines as fields, but for blank ones and comments; or why the file is refused."""
    while data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if b"\0" in data:
        return "binary"
    lines = data.split(b"\n" if b"\n" in data else b"\r")
    found = []
    for number, line in enumerate(lines, 1):
        fields = [word for word in WHITE.split(line) if word]
        if fields and not fields[0].startswith(b"#"):
            found.append((number, fields))
    return found or "empty"


def is_number(text: str) -> bool:
    return bool(NUMBER.fullmatch(text)) or (
        text.lower().lstrip("+-") in ("inf", "infinity")
        and (len(text) - len(text.lstrip("+-")) <= 1)
    )


def is_whole(text: str, lowest: int) -> bool:
    return bool(WHOLE.fullmatch(text)) and lowest <= int(text) <= 32767


def texts_of(fields: list[bytes]) -> list[str] | None:
    try:
        return b" ".join(fields).decode().split(" ")
    except UnicodeDecodeError:
        return None


def has_comment(fields: list[str]) -> bool:
    """Whether words follow the tag, as trec_eval allows; a docno with a blank is none."""
    numbers = [is_number(text) for text in fields[3:6]]
    return len(fields) > 6 and numbers == [True, True, False]


def parse_run(data: bytes) -> Parsed:
    """Rows of topic, doc, score."""
    lines = field_lines(data)
    if isinstance(lines, str):
        return Parsed(faults={0: lines})
    if 2 * sum(len(fields) == 4 for _, fields in lines) > len(lines):
        return Parsed(faults={0: "not-a-run"})
    parsed, seen = Parsed(), set()
    for number, raw in lines:
        fields = texts_of(raw)
        if fields is None:
            parsed.faults[number] = "encoding"
        elif len(fields) != 6 and not has_comment(fields):
            parsed.faults[number] = "fields"
        elif not is_number(fields[4]):
            parsed.faults[number] = "score"
        elif (fields[0], fields[2]) in seen:
            parsed.faults[number] = "duplicate"
        else:
            seen.add((fields[0], fields[2]))
            parsed.rows.append((number, fields[0], fields[2], float(fields[4])))
    return parsed


def parse_qrels(data: bytes) -> Parsed:
    """Rows of topic, second field, doc, grade, inclusion probability, stratum."""
    lines = field_lines(data)
    if isinstance(lines, str):
        return Parsed(faults={0: lines})
    widths = [len(fields) for _, fields in lines]
    if 2 * widths.count(6) > len(lines):
        return Parsed(faults={0: "not-qrels"})
    wanted = 5 if widths.count(5) > widths.count(4) else 4
    fifth = [fields[4].decode("utf-8", "replace") for _, fields in lines if len(fields) == 5]
    numbers = [text for text in fifth if is_number(text)]
    stratified = (
        wanted == 5
        and all(WHOLE.fullmatch(text) for text in numbers)
        and any(float(text) <= 0 for text in numbers)
    )
    parsed = Parsed()
    for number, raw in lines:
        fields = texts_of(raw)
        if fields is None:
            parsed.faults[number] = "encoding"
        elif len(fields) != wanted:
            parsed.faults[number] = "fields"
        elif not is_whole(fields[4] if stratified else fields[3], -32768):
            parsed.faults[number] = "grade"
        elif stratified and not is_whole(fields[3], 0):
            parsed.faults[number] = "stratum"
        elif (
            wanted == 5
            and not stratified
            and not (is_number(fields[4]) and 0 < float(fields[4]) <= 1)
        ):
            parsed.faults[number] = "inclusion"
        else:
            topic, second, doc = fields[:3]
            grade = int(fields[4] if stratified else fields[3])
            share = float(fields[4]) if wanted == 5 and not stratified else None
            stratum = int(fields[3]) if stratified else None
            parsed.rows.append((number, topic, second, doc, grade, share, stratum))
    return parsed
