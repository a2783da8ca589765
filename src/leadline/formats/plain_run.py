"""TREC runs whose lines are as they should be, `topic Q0 doc rank score tag`, from bytes to rows.

Everything is checked and nothing is explained: a run that fails is read again by trec_run.py.
"""

from collections.abc import Iterable

import numpy as np

from leadline.files.decimals import decimals
from leadline.files.lines import RegularLines
from leadline.formats.rows import Rows

_TOPIC, _DOC, _SCORE, _FIELDS = 0, 2, 4, 6


def plain_rows(texts: Iterable[bytes]) -> Rows | None:
    """The rows of one run a text, each text with a line end at its end; None if a line is not so.

    The rows may still hold a document twice: see `Rows.are_sound`.
    """
    lines = RegularLines.of(texts, _FIELDS)
    if lines is None:
        return None
    score = decimals(lines.text, lines.start(_SCORE), lines.stop(_SCORE))
    if score is None:
        return None
    rows = Rows.of(lines.names(_TOPIC), lines.names(_DOC), score, lines.first)
    # A line commented out has a topic of its own, and so begins a stretch.
    commented = lines.text[rows.topic.start] == ord("#")
    return None if bool(np.any(commented)) else rows
