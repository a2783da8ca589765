"""Qrels whose lines are as they should be, `topic 0 doc grade`, each pair once, from 0 upwards.

Everything is checked and nothing is explained: qrels that fail are read again by trec_qrels.py.
"""

import numpy as np

from leadline.files.decimals import wholes
from leadline.files.lines import RegularLines
from leadline.files.source import Source, is_plain, plain_text
from leadline.formats.qrels import Qrels
from leadline.formats.rows import doc_keys, has_equals, topic_keys

_TOPIC, _DOC, _GRADE, _FIELDS = 0, 2, 3, 4
_HIGHEST = np.iinfo(np.int16).max


def plain_qrels(source: Source) -> Qrels | None:
    """The judgments of a file; None if anything about it has to be said or settled."""
    lines = RegularLines.of([plain_text(source.data, is_plain(source))], _FIELDS)
    if lines is None:
        return None
    grade = wholes(lines.text, lines.start(_GRADE), lines.stop(_GRADE))
    if grade is None or int(grade.max()) > _HIGHEST:
        return None
    topic, doc = lines.names(_TOPIC), lines.names(_DOC)
    names = topic.gather(np.flatnonzero(topic.changed())).to_list()
    if any(name == "all" or name.startswith("#") for name in names):
        return None
    if has_equals(topic_keys(topic) ^ doc_keys(doc)):
        return None
    judged = np.ones(len(lines), np.bool_)
    return Qrels(topic, doc, grade.astype(np.int16), judged, source.name)
