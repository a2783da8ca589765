"""ndeval's qrels: `topic subtopic doc grade`."""

import polars as pl

from leadline.files.problems import Notices
from leadline.formats.trec_qrels import merge_repeats
from leadline.tables.subtopics import Subtopics


def has_subtopics(frame: pl.DataFrame) -> bool:
    """Whether some document of a topic is judged under two different second fields.

    In plain qrels the second field is an iteration that nobody uses, in ndeval's a subtopic.
    """
    if frame["iteration"].n_unique() < 2:
        return False
    pairs = frame.select("topic", "doc").n_unique()
    return pairs < frame.select("topic", "iteration", "doc").n_unique()


def subtopics_of(name: str, frame: pl.DataFrame, notices: Notices, lenient: bool) -> Subtopics:
    """The subtopic judgments of lines whose second field is the subtopic."""
    frame = merge_repeats(name, frame, notices, lenient, ("topic", "iteration", "doc"))
    return Subtopics(
        frame.select("topic", pl.col("iteration").alias("subtopic"), "doc", "grade").sort(
            "topic", "subtopic", "doc"
        )
    )
