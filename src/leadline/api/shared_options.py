"""The options that several verbs share, and those of every verb that reads a collection."""

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from leadline.io.chunks import Collapse
from leadline.io.formats import MissingDocs, SecondField
from leadline.io.inputs import RunNames, TopicNames
from leadline.io.rows import Ties
from leadline.measures.measure import MeasureNames
from leadline.options import READING_PANEL, TEXTS_PANEL, WORKERS_PANEL, Option

Measures = Annotated[MeasureNames, Option("-m --measure", "MEASURE", many=True)]
InputFile = Annotated[Any, Option(metavar="FILE")]
LabelFiles = Annotated[Any, Option(metavar="FILE", many=True)]
Workers = Annotated[int, Option(panel=WORKERS_PANEL)]
Dask = Annotated[Any, Option(metavar="ADDRESS", panel=WORKERS_PANEL)]
Seed = Annotated[int, Option(least=0)]
Texts = Annotated[Any, Option(metavar="PATH", panel=TEXTS_PANEL)]
TextsRule = Annotated[MissingDocs, Option(metavar="RULE", panel=TEXTS_PANEL)]
OUTPUT_FOLDER = Option("-o --output", "FOLDER", output=True)


class ReadOptions(TypedDict, total=False):
    """How a collection is read: the options of every verb that reads one.

    run_names: only these runs: names, or patterns of names such as 'bm25*'. Several may stand in
        one text, with commas between them.
    topics: restrict to these topics: a file with one per line. In Python also their names.
    ties: how to compare scores: float32, as trec_eval up to version 9; float64, as trec_eval 10;
        or file-order, which keeps the order of the file.
    skip_bad_lines: skip invalid lines and count them, instead of stopping.
    second_field: what the second field of qrels is: subtopic, judge, or ignore. With several judges
        the median grade counts. The default is subtopic if a document has two, ignore otherwise.
    collapse: turn rankings of chunks into rankings of documents. A document gets the highest score
        of its chunks (max), that of the chunk listed first (first), or their sum.
    chunks: separator between a document and its chunk in a name, or a file with a chunk and its
        document per line. The last separator of a name counts.
    map_grades: replace a grade by another, for example -1=0. In Python {-1: 0}.
    """

    run_names: Annotated[RunNames, Option("--runs", "NAME", many=True, panel=READING_PANEL)]
    topics: Annotated[TopicNames, Option(metavar="FILE", panel=READING_PANEL)]
    ties: Annotated[Ties, Option(metavar="RULE", default="float32", panel=READING_PANEL)]
    skip_bad_lines: Annotated[bool, Option(panel=READING_PANEL)]
    second_field: Annotated[SecondField | None, Option(metavar="WHAT", panel=READING_PANEL)]
    collapse: Annotated[Collapse | None, Option(metavar="HOW", panel=READING_PANEL)]
    chunks: Annotated[
        Any, Option(metavar="TEXT|FILE", default="#, with --collapse", panel=READING_PANEL)
    ]
    map_grades: Annotated[
        Mapping[int, int] | None,
        Option("--map-grade", "FROM=TO", many=True, panel=READING_PANEL),
    ]


_DEFAULTS = ReadOptions(
    run_names=None,
    topics=None,
    ties="float32",
    skip_bad_lines=False,
    second_field=None,
    collapse=None,
    chunks=None,
    map_grades=None,
)


def complete(given: ReadOptions) -> ReadOptions:
    """Return the options with the defaults of those that are not given.

    >>> complete({"skip_bad_lines": True})["ties"]
    'float32'
    """
    for name in given:
        if name not in _DEFAULTS:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
    return _DEFAULTS | given
