"""Documents with fields of their own, such as products: which of them are shown, and how."""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.files.problems import InputError, Progress
from leadline.files.source import Source
from leadline.formats.document_files import IDS
from leadline.formats.json_table import json_objects
from leadline.tables.documents import Document

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
