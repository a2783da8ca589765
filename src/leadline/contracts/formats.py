"""What a file format promises: it knows its own files, reads them, and explains broken ones."""

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from leadline.contracts.names import Violation, check_name, demand, no_errors
from leadline.io.formats import Content, FileFormat, Reading, format_of, formats
from leadline.io.problems import InputError
from leadline.io.source import Source, read_source

Read = dict[str, dict[str, float]]

RUN: Read = {"1": {"a": 2.0, "b": 1.5}, "2": {"c": 0.5}}
"""Scores by topic and doc, as the file `run` must hold them."""

QRELS: Read = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
"""Grades by topic and doc, as the file `qrels` must hold them."""

OTHERS: dict[str, tuple[Content, bytes]] = {
    "TrecRun": ("run", b"1 Q0 a 1 2.0 x\n1 Q0 b 2 1.5 x\n2 Q0 c 1 0.5 x\n"),
    "TrecQrels": ("qrels", b"1 0 a 1\n1 0 b 0\n2 0 c 2\n"),
    "Csv": ("run", b"qid,docno,score\n1,a,2.0\n1,b,1.5\n2,c,0.5\n"),
}
"""Files that stay what they are, whatever else is registered."""

N_BROKEN = 60


def check_format(
    file_format: FileFormat | str,
    *,
    run: bytes | None = None,
    qrels: bytes | None = None,
    seed: int = 0,
) -> None:
    """A Violation if the format breaks a promise on these files and on broken ones.

    `run` and `qrels` are files of the format, each given if it holds such: they say the same as
    RUN and QRELS in this module. They are known for what they are, packed or not, and read as what
    they say; files of other formats are left alone; a file that is cut off or has other bytes in
    it is read, or refused by an InputError.
    """
    file_format = check_name(formats, file_format)
    given: dict[Content, bytes | None] = {"run": run, "qrels": qrels}
    demand(run or qrels, f"give a file of {file_format}: run=..., qrels=...")
    for content, data in given.items():
        holds = file_format.holds(content)
        demand(
            holds == (data is not None), f"give {content} if, and only if, {file_format} reads it"
        )
    with TemporaryDirectory() as folder:
        _check_others(file_format, Path(folder))
        for content, data in given.items():
            if data is not None:
                _check_file(file_format, content, data, Path(folder))
                _check_broken(file_format, content, data, Path(folder), seed)


def _source(data: bytes, folder: Path, name: str = "file") -> Source:
    path = folder / name
    path.write_bytes(data)
    return read_source(path)


def _read(file_format: FileFormat, content: Content, source: Source) -> Read:
    found: Read = {}
    if content == "run":
        rows = file_format.read_run(source, Reading())
        topics = rows.topic.gather(rows.stretch_of(np.arange(len(rows)))).to_list()
        for topic, doc, score in zip(topics, rows.doc.to_list(), rows.run_score, strict=True):
            found.setdefault(topic, {})[doc] = float(score)
        return found
    frame = file_format.read_qrels(source, Reading()).frame
    for topic, doc, grade in frame.select("topic", "doc", "grade").rows():
        found.setdefault(topic, {})[doc] = grade
    return found


def _check_file(file_format: FileFormat, content: Content, data: bytes, folder: Path) -> None:
    says = RUN if content == "run" else QRELS
    for name, packed in (("plain", data), ("packed.gz", gzip.compress(data))):
        with no_errors(file_format, f"{name}: {data!r}"):
            source = _source(packed, folder, name)
            known = format_of(source, content)
            found = _read(file_format, content, source)
        demand(
            known == file_format,
            f"{file_format} does not know its own {content} ({name}), which is taken for {known}: "
            f"{data!r}",
        )
        what = f"{file_format} reads {found} instead of {says} from the {content} ({name})"
        demand(found == says, f"{what}: {data!r}")


def _check_broken(
    file_format: FileFormat, content: Content, data: bytes, folder: Path, seed: int
) -> None:
    random = np.random.default_rng(seed)
    for number in range(N_BROKEN):
        broken = bytearray(data)
        at = int(random.integers(0, len(data))) if number else 0
        if number % 2:
            broken[at] = int(random.integers(0, 256))
        else:
            del broken[at:]
        try:
            source = _source(bytes(broken), folder)
            file_format.looks_like(source)
            _read(file_format, content, source)
        except InputError:
            continue
        except Exception as error:
            raise Violation(
                f"{file_format} must read a broken {content} or refuse it by an InputError, not "
                f"raise {type(error).__name__}: {error}, given {bytes(broken)!r}"
            ) from error


def _check_others(file_format: FileFormat, folder: Path) -> None:
    for name, (content, data) in OTHERS.items():
        with no_errors(file_format, data):
            known = format_of(_source(data, folder), content)
        taken = known is not None and type(known).registered_name()
        demand(taken == name, f"{file_format} claims a file of {name}, now {taken}: {data!r}")
    for data in (b"", b"\n", b"\0\xff"):
        with no_errors(file_format, data):
            claims = file_format.looks_like(_source(data, folder))
        demand(not claims, f"{file_format} claims the file {data!r}")
