"""Answers kept in a file by what was asked, so that nothing is paid for twice."""

import hashlib
import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from leadline.files.line_file import LineFile
from leadline.files.problems import InputError
from leadline.files.whole_file import is_plain
from leadline.labelling.answers import Answer

HEAD = b'{"leadline": "answers"}\n'
"""The first line, so that no other file is taken for one of answers and written to."""


def digest_of(model: str, messages: list[dict[str, str]], temperature: float, sample: int) -> str:
    """The name of an ask: equal for equal content, whatever topic and document it is of."""
    asked = json.dumps([model, messages, temperature, sample])
    return hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()


class AnswerCache:
    """Answers by digest, in a file a JSON object a line, each on the disk before `add` returns.

    Without a path they are kept in memory only. With `look` the file is read and let go: nothing is
    added to it, and none is made.
    """

    def __init__(self, path: str | os.PathLike[str] | None, look: bool = False) -> None:
        self.answers: dict[str, Answer] = {}
        self._file: LineFile | None = None
        if path is None:
            return
        where = Path(path)
        if not is_plain(where):
            raise InputError.of(str(path), "cache", "is no plain file to keep answers in")
        if not look:
            self._file = LineFile(where, self._read)
            if not self._file.size:
                self._file.append(HEAD)
        elif where.exists():
            self._read(where)

    def __enter__(self) -> "AnswerCache":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, digest: str, max_tokens: int) -> Answer | None:
        """The answer to an ask; one that was cut off is none if it may be longer now."""
        answer = self.answers.get(digest)
        if answer is not None and answer.cut_at is not None and answer.cut_at < max_tokens:
            return None
        return answer

    def add(self, digest: str, answer: Answer) -> None:
        """Keep an answer."""
        if self._file is not None:
            self._file.append(json.dumps({"ask": digest} | asdict(answer)).encode() + b"\n")
        self.answers[digest] = answer

    def _read(self, path: Path) -> int:
        data = path.read_bytes()
        if data[: len(HEAD)] != HEAD[: len(data)]:
            found = data[:80].decode(errors="replace").partition("\n")[0]
            message = f"is no file of answers, so nothing is added to it: {found}"
            raise InputError.of(str(path), "cache", message, 1)
        whole = data[: data.rfind(b"\n") + 1]
        for number, line in enumerate(whole.split(b"\n")[1:-1], 2):
            try:
                row = json.loads(line)
                digest = row.pop("ask")
                if type(digest) is not str:
                    raise TypeError("ask")
                self.answers[digest] = _answer(row)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                found = line[:80].decode(errors="replace")
                message = f"is no answer: {found}. Remove the line, and it is asked again"
                raise InputError.of(str(path), "cache", message, number) from None
        return len(whole)


_KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "refused": (bool,),
    "probability": (float, int, type(None)),
    "date": (str,),
    "left_out": (list,),
}


def _answer(row: dict[str, Any]) -> Answer:
    """The answer that a line holds; a TypeError or KeyError if it is none."""
    values = {}
    for each in fields(Answer):
        values[each.name] = row.pop(each.name)
        if type(values[each.name]) not in _KINDS.get(each.name, (int, type(None))):
            raise TypeError(each.name)
    if row:
        raise KeyError
    values["left_out"] = tuple(map(str, values["left_out"]))
    return Answer(**values)
