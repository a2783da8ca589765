"""Lines and the fields in them: white space made regular, files cut between topics, faults found.

White space is every byte from 1 to 32 but for the line feed. Comments are lines whose first field
begins with #.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Int64s
from leadline.data.names import LONGEST_NAME, PADDING, Bytes, Names
from leadline.io.problems import InputError, Notices, Problem
from leadline.io.source import Source, check_text

_BLANK, _END = ord(" "), ord("\n")
Text = bytes | Sequence[bytes | memoryview]
"""Lines as one text, or as pieces of it: to join them would be another copy."""


@dataclass(frozen=True, eq=False)
class RegularLines:
    """Field i of line j is text[start(i)[j] : stop(i)[j]]; `text` has padding at both ends.

    `first` is the first line of each of the texts that it was made from. Where `begins` is None,
    one blank stands between fields, and nothing else about them.
    """

    text: Bytes
    ends: Int64s
    first: Int64s
    begins: Int64s | None = None

    @classmethod
    def of(cls, texts: Iterable[Text], n_fields: int) -> "RegularLines | None":
        r"""The lines of all texts; None if one has another number of fields, or none.

        Each text ends with a line end. Comments are not looked for.

        >>> lines = RegularLines.of([b"1 a\n", b"20 b\n"], 2)
        >>> lines.names(0).to_list(), lines.names(1).to_list()
        (['1', '20'], ['a', 'b'])
        >>> RegularLines.of([b"1  a \r\n\t2 b\n"], 2).names(1).to_list()
        ['a', 'b']
        >>> RegularLines.of([b"1 a b\n"], 2) is RegularLines.of([b"1 a\n\n"], 2) is None
        True
        """
        whole, at = bytearray(PADDING), []
        for each in texts:
            at.append(len(whole))
            for piece in (each,) if isinstance(each, bytes) else each:
                whole += piece
            if len(whole) == at[-1]:
                return None
            # Not two of them at a time.
            del each
        whole += PADDING
        text = np.frombuffer(whole, np.uint8)
        inside = text[len(PADDING) : -len(PADDING)]
        if not len(inside) or (inside.max() > 127 and not _is_unicode(inside)):
            return None
        begins, ends = None, _blanks(text, n_fields)
        if ends is None:
            begins, ends = _words(text, n_fields)
        return None if ends is None else cls(text, ends, np.searchsorted(ends[:, -1], at), begins)

    def __len__(self) -> int:
        return len(self.ends)

    def start(self, field: int) -> Int64s:
        """Where a field begins on each line."""
        if self.begins is not None:
            return np.ascontiguousarray(self.begins[:, field])
        if field:
            return self.ends[:, field - 1] + 1
        before = np.empty(len(self.ends), np.int64)
        before[0] = len(PADDING)
        np.add(self.ends[:-1, -1], 1, out=before[1:])
        return before

    def stop(self, field: int) -> Int64s:
        """Where a field ends on each line."""
        return self.ends[:, field]

    def names(self, field: int) -> Names:
        """A field as names."""
        start = self.start(field)
        return Names(self.text, start, self.stop(field) - start)


def _blanks(text: Bytes, n_fields: int) -> Int64s | None:
    """Where a field is over, and so a line; None if lines are not regular."""
    blank = text <= _BLANK
    inside = blank[len(PADDING) : -len(PADDING)]
    if text[-len(PADDING) - 1] != _END or inside[0] or (inside[1:] & inside[:-1]).any():
        return None
    blank[: len(PADDING)] = blank[-len(PADDING) :] = False
    ends = np.flatnonzero(blank)
    if len(ends) % n_fields:
        return None
    table = ends.reshape(-1, n_fields)
    # As bytes, which are compared at once: against a row of few fields numpy goes row by row.
    if text[ends].tobytes() != (b" " * (n_fields - 1) + b"\n") * len(table):
        return None
    before = len(PADDING) - 1
    longest = np.diff(table[:, -1], prepend=before).max()
    if longest > LONGEST_NAME and np.diff(ends, prepend=before).max() > LONGEST_NAME + 1:
        return None
    return table


def _words(text: Bytes, n_fields: int) -> tuple[Int64s, Int64s] | tuple[None, None]:
    """Where fields begin and end, whatever white space is about them; None if lines differ."""
    word = text > _BLANK
    word[: len(PADDING)] = word[-len(PADDING) :] = False
    edges = np.flatnonzero(word[1:] != word[:-1])
    edges += 1
    inside = text[len(PADDING) : -len(PADDING)]
    if not len(edges) or len(edges) % (2 * n_fields) or inside.min() == 0:
        return None, None
    table = edges.reshape(-1, 2 * n_fields)
    begins, ends = table[:, ::2], table[:, 1::2]
    line_ends = np.flatnonzero(inside == _END)
    line_ends += len(PADDING)
    # One line end behind the last field of every line, and none elsewhere.
    if len(line_ends) != len(table) or (line_ends < ends[:, -1]).any():
        return None, None
    if (line_ends[:-1] >= begins[1:, 0]).any() or (ends - begins).max() > LONGEST_NAME:
        return None, None
    return begins, ends


def _is_unicode(text: Bytes) -> bool:
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


_HEAD = 1 << 13
_WHOLE = 1 << 22
_SIGN = re.compile(rb"[\x00-\x09\x0b-\x1f]|  |\n[# \n]| \n")
_ENDS = re.compile(rb"\n+")
_COMMENT = re.compile(rb"(?m)^#.*$")


def regular(text: bytes) -> bytes:
    """The same lines with one blank between fields and none around them; comments emptied.

    Line numbers stay as they were. There must be no NUL byte.

    >>> regular(b"401  Q0\\tFT911-3 \\r\\n# note\\n  402 Q0 x\\n")
    b'401 Q0 FT911-3\\n\\n402 Q0 x\\n'
    """
    chunk = np.frombuffer(text, np.uint8)
    word, end = chunk > 32, chunk == 10
    # Of every stretch of blanks the last one stays, if a word follows; all line ends stay.
    keep = word | end
    keep[:-1] |= word[1:]
    if int(np.count_nonzero(chunk < 32)) != int(np.count_nonzero(end)):
        chunk = np.where(word | end, chunk, np.uint8(32))
    # What is not kept becomes a byte that nothing else has, and is taken out: faster than a mask.
    made = (chunk * keep).tobytes().translate(None, b"\0")
    kept = np.frombuffer(made, np.uint8)
    if made[:1] == b" " or ((kept[1:] == 32) & (kept[:-1] == 10)).any():
        made = (b"\n" + made).replace(b"\n ", b"\n")[1:]
    return _COMMENT.sub(b"", made) if b"#" in made else made


def line_numbers(text: bytes) -> Int64s:
    """The numbers, from 0, of the lines of a regular text that hold something."""
    chunk = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    end = np.flatnonzero(chunk == 10)
    return np.flatnonzero(np.diff(end, prepend=-1) > 1)


def is_plain(source: Source) -> bool:
    """Whether the first lines have one blank between fields and nothing else about them."""
    return _SIGN.search(b"\n" + source.head[:_HEAD]) is None


def plain_text(text: bytes, plain: bool) -> bytes:
    """Lines with one blank between fields, none of them empty, the last one with an end.

    They are made so unless they are already, as `plain` says. There must be no NUL byte.
    """
    # Behind the last line white space may stand without a line feed, however plain the first are.
    ragged = text[-1:] <= b" " and text[-1:] != b"\n"
    if not plain or ragged:
        text = regular(text).lstrip(b"\n")
        text = _ENDS.sub(b"\n", text) if b"\n\n" in text else text
    return text if text.endswith(b"\n") or not text else text + b"\n"


def whole_text(source: Source) -> bytes:
    """All lines of a source as `plain_text`, piece by piece, so that blank ones take no room."""
    plain = is_plain(source)
    if plain and source.is_raw:
        return plain_text(b"".join(source.text_chunks(_WHOLE)), True)
    return b"".join(plain_text(text, plain) for text in source.texts())


PIECE = 4 << 20
"""Bytes: small enough that what is made of a piece stays near the processor."""

_TOPIC = re.compile(rb"[^\s]+[ \t]")


def cut_texts(source: Source) -> Iterator[list[bytes | memoryview]]:
    """Lines as they stand in the file, whole topics in each text.

    White space is made regular only in a piece whose last topic does not show otherwise.
    """
    plain = is_plain(source)
    # Chunks as they come from the file if nothing in it needs a change: every copy takes time.
    raw = plain and source.is_raw
    waiting: list[bytes | memoryview] = []
    for text in source.text_chunks(PIECE) if raw else source.texts(PIECE):
        # What stands before the first line end of a chunk belongs to a line that began earlier.
        at = last_topic(text, text.find(b"\n") + 1 if raw and waiting else 0)
        if not at and not raw:
            text = plain_text(text, plain)
            at = last_topic(text)
        if at:
            yield [*waiting, memoryview(text)[:at]]
            waiting = []
        if text[at:]:
            waiting.append(text[at:])
    yield [plain_text(b"".join(waiting), True)]


def last_topic(text: bytes, first: int = 0) -> int:
    r"""Where the lines of the last topic begin that has a whole line here; 0 if there is no other.

    Nothing before `first`, where a line begins, is looked at.

    >>> last_topic(b"401 Q0 a\n402 Q0 a\n402 Q0 b\n402 Q")
    9
    """

    def line(at: int) -> int:
        return max(first, text.rfind(b"\n", first, max(first, at)) + 1)

    inside = line(text.rfind(b"\n"))
    name = _TOPIC.match(text, inside)
    if name is None:
        return 0
    topic = name[0]
    # Twice as far back at every step until another topic is met, then halfway between both.
    outside, step = inside, 1 << 12
    while outside > first and text.startswith(topic, outside):
        inside, outside = outside, line(outside - step)
        step *= 2
    if text.startswith(topic, outside):
        return 0
    while True:
        middle = line((outside + inside) // 2)
        if middle <= outside:
            middle = text.find(b"\n", outside) + 1
        if middle >= inside:
            return inside
        if text.startswith(topic, middle):
            inside = middle
        else:
            outside = middle


NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""Python would also take 1_0, Arabic digits and blanks; a run file that has them is broken."""

INFINITE = r"[+-]?(?i:inf|infinity)"
_NUMBER = re.compile(f"{NUMBER}|{INFINITE}")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_NO_BREAK = re.compile("[\u00a0\u2007\u202f\u3000]")

Found = tuple[str, str]
"""The code of a fault, and what is wrong."""


def is_number(text: str) -> bool:
    """Whether it is a decimal number, or infinity."""
    return _NUMBER.fullmatch(text) is not None


def whole_number(text: str) -> int | None:
    """The number that digits with perhaps a sign are; None if it is another text, or absurd."""
    if not _WHOLE_NUMBER.fullmatch(text) or len(text.lstrip("+-0")) > 18:
        return None
    return int(text)


def quoted(text: str, most: int = 80) -> str:
    """The text in quotation marks, cut where it is long."""
    return f'"{text[:most]}..."' if len(text) > most else f'"{text}"'


def wrong_fields(fields: list[str], wanted: int) -> Found | None:
    """What is wrong with a line that has not as many fields as wanted, or one beyond reason."""
    text = " ".join(fields)
    longest = max(len(field.encode()) for field in fields) if len(text) > LONGEST_NAME / 4 else 0
    if longest > LONGEST_NAME:
        message = f"a field has {longest:,} bytes, more than {LONGEST_NAME:,}: {quoted(text)}"
        return "length", message
    if len(fields) == wanted:
        return None
    hint = " (a no-break space does not separate fields)" if _NO_BREAK.search(text) else ""
    return "fields", f"expected {wanted} fields, found {len(fields)}: {quoted(text)}{hint}"


def skip_hint(n_faulty: int, n_sound: int, what: str) -> str:
    """How to leave faulty lines or rows out, where most are sound."""
    if n_sound <= n_faulty:
        return ""
    return (
        f"`skip_bad_lines` leaves out the {n_faulty:,} faulty {what} and reads the other "
        f"{n_sound:,}"
    )


def skip_or_stop(
    name: str, problems: list[Problem], n_sound: int, notices: Notices, skip_bad_lines: bool
) -> None:
    """An InputError with all faults; skip_bad_lines reading goes on with what is left and
    says so.
    """
    if problems and (not skip_bad_lines or not n_sound):
        raise InputError(problems, skip_hint(len(problems), n_sound, "lines"))
    if problems:
        notices.add(name, "warning", "skipped", f"{len(problems)} faulty lines were skipped")


MOST_EXPLAINED = 10_000
"""Faulty lines of one file that are explained one by one; the others share one message."""


@dataclass(frozen=True, eq=False)
class CheckedLines:
    """The sound lines of a file as a regular text, their numbers, and the faults of the others.

    There is one problem for each faulty line. Beyond `MOST_EXPLAINED` they are one object for each
    code, without a line number, so that a file of faults does not fill the memory.
    `widths` counts the lines that were looked at by their number of fields.
    """

    text: bytes
    number: Int64s
    problems: list[Problem]
    widths: Counter[int]

    def mostly(self, n_fields: int) -> bool:
        """Whether more than half of the lines have that many fields, which none should."""
        return 2 * self.widths[n_fields] > len(self.number) + len(self.problems)


def check_lines(
    source: Source,
    fault: Callable[[list[str]], Found | None],
    fast: Callable[[bytes], bool],
    most_fields: int | None = None,
) -> CheckedLines:
    """All lines but blank ones and comments, each sound or with its fault.

    `fast` tells whether all lines of a regular text are sound; they are not looked at one by one
    then. Of a sound line with more than `most_fields` only these are kept. A file that is no text
    is refused.
    """
    check_text(source)
    parts, numbers = bytearray(), [np.zeros(0, np.int64)]
    problems: list[Problem] = []
    shared: dict[str, Problem] = {}
    widths: Counter[int] = Counter()
    for first, text in _regular_texts(source):
        number = first + line_numbers(text)
        lines = [line for line in text.split(b"\n") if line]
        if lines and not fast(b"\n".join(lines) + b"\n"):
            widths.update(line.count(b" ") + 1 for line in lines)
            found = [_fault(line, fault) for line in lines]
            for at, each in zip(number.tolist(), found, strict=True):
                if each is None:
                    continue
                if len(problems) < MOST_EXPLAINED:
                    problems.append(Problem(source.name, at, "error", *each))
                    continue
                code = each[0]
                if code not in shared:
                    message = f"more lines have such a fault; {MOST_EXPLAINED:,} lines are listed"
                    shared[code] = Problem(source.name, None, "error", code, message)
                problems.append(shared[code])
            keep = [each is None for each in found]
            number = number[keep]
            lines = [line for line, sound in zip(lines, keep, strict=True) if sound]
            if most_fields is not None:
                lines = [b" ".join(line.split(b" ")[:most_fields]) for line in lines]
        if lines:
            parts += b"\n".join(lines) + b"\n"
        numbers.append(number)
    if not parts and not problems:
        raise InputError.of(source.name, "empty", "is empty but for comments")
    return CheckedLines(bytes(parts), np.concatenate(numbers), problems, widths)


def _fault(line: bytes, fault: Callable[[list[str]], Found | None]) -> Found | None:
    try:
        return fault(line.decode().split(" "))
    except UnicodeDecodeError:
        text = quoted(line.decode("utf-8", "replace"))
        return "encoding", f"is not UTF-8 text: {text}. Convert the file to UTF-8"


def _regular_texts(source: Source) -> Iterator[tuple[int, bytes]]:
    """Regular texts of whole lines, each with the number of its first line."""
    first = 1
    for text in source.texts():
        yield first, regular(text)
        first += text.count(b"\n")


def numbered_lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The number and the fields of every line that holds something; bad bytes come as U+FFFD."""
    check_text(source)
    for first, text in _regular_texts(source):
        for number, line in enumerate(text.split(b"\n"), first):
            if line:
                yield number, line.decode("utf-8", "replace").split(" ")
