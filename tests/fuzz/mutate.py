"""Inputs from inputs: a seeded generator that changes bytes, words and lines."""

import random
from collections.abc import Callable, Iterator, Sequence

LONGEST = 3000
WORDS = [
    *b"0 1 2 -1 +3 0.5 .5 1e308 1e999 -1e-400 nan NaN inf -Infinity 1_0 0x10 1,5 40000".split(),
    *b"Q0 a b c d1 topic query qid docno score grade run group pooled all none # ##".split(),
    b"9" * 30,
    b"1" + b"0" * 400,
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x1c",
    b"\x85",
    b"\xc2\xa0",
    b"\xe2\x80\xa8",
    b"\xff",
    b"\xe9",
    b"\0",
    b'"',
    b"'",
    b",",
    b";",
    b"<",
    b"{",
    b"}",
    b"[",
    b"]",
    b"{}",
    b"[]",
    b"null",
    b"true",
    b"NaN",
    b"\\u0000",
    b"\\ud800",
    b"=",
    b"@",
    b"(",
    b")",
    b" ",
    "e\u0301".encode(),
    "\u00e9".encode(),
    "\u0663".encode(),
    b"\xed\xa0\x80",
    b"{" * 300,
    b"[" * 1200,
    b"<top>",
    b"<num>",
    b"<DOC>",
    b"</DOC>",
    b"<DOCNO>",
    b"</DOCNO>",
    b"<!-- ",
    b"&amp;",
    b"]]>",
]


def _at(data: bytes, random: random.Random) -> int:
    return random.randrange(len(data) + 1)


def _flip(data: bytes, random: random.Random) -> bytes:
    if not data:
        return b"\x01"
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]


def _byte(data: bytes, random: random.Random) -> bytes:
    at = _at(data, random)
    return data[:at] + bytes([random.randrange(256)]) + data[at + random.randrange(2) :]


def _word(data: bytes, random: random.Random) -> bytes:
    at = _at(data, random)
    return data[:at] + random.choice(WORDS) + data[at:]


def _field(data: bytes, random: random.Random) -> bytes:
    """Another word in the place of one between white space or marks."""
    for mark in random.sample([b" ", b"\t", b",", b'"', b"\n"], 5):
        parts = data.split(mark)
        if len(parts) > 1:
            at = random.randrange(len(parts))
            parts[at] = random.choice([random.choice(WORDS), random.choice(parts), b""])
            return mark.join(parts)
    return data


def _cut(data: bytes, random: random.Random) -> bytes:
    a, b = sorted((_at(data, random), _at(data, random)))
    return data[:a] + data[b:]


def _again(data: bytes, random: random.Random) -> bytes:
    a, b = sorted((_at(data, random), _at(data, random)))
    at = _at(data, random)
    return data[:at] + data[a:b] + data[at:]


def _lines(data: bytes, random: random.Random) -> bytes:
    """Lines shuffled, doubled, dropped, or ended otherwise."""
    lines = data.split(b"\n")
    what = random.randrange(4)
    if what == 0:
        random.shuffle(lines)
    elif what == 1:
        lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    elif what == 2:
        del lines[random.randrange(len(lines))]
    return (
        random.choice([b"\r\n", b"\r", b"\n\n", b" \n"]).join(lines)
        if what == 3
        else b"\n".join(lines)
    )


CHANGES: list[Callable[[bytes, random.Random], bytes]] = [
    _flip,
    _byte,
    _word,
    _word,
    _field,
    _field,
    _field,
    _cut,
    _again,
    _lines,
    _lines,
]


def mutations(seeds: Sequence[bytes], seed: int) -> Iterator[bytes]:
    """Without end: first the seeds themselves, then changes of them and of mixtures."""
    yield from seeds
    numbers = random.Random(seed)
    while True:
        data = numbers.choice(seeds)
        if numbers.random() < 0.1:
            other = numbers.choice(seeds)
            data = data[: _at(data, numbers)] + other[_at(other, numbers) :]
        # Mostly few changes: what is wrong all over is refused at its first line.
        for _ in range(1 + min(int(numbers.expovariate(0.8)), 12)):
            data = numbers.choice(CHANGES)(data, numbers)
        yield data[:LONGEST]
