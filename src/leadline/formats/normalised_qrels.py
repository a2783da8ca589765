"""Qrels of any kind, with everything that may be odd about them settled and said."""

from collections.abc import Mapping

import polars as pl

from leadline.files.problems import InputError, Notices
from leadline.files.source import Source
from leadline.formats.ndeval_qrels import has_subtopics, subtopics_of
from leadline.formats.qrels import Qrels
from leadline.formats.trec_qrels import examine_qrels, merge_repeats, read_qrels_lines


def read_qrels(
    source: Source,
    notices: Notices,
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    subtopics: bool = False,
) -> Qrels:
    """Qrels of any kind from a file: plain, sampled, stratified or ndeval's."""
    frame = read_qrels_lines(source, notices, lenient)
    if frame.select("topic", "doc").is_duplicated().any() and not has_subtopics(frame):
        # Only now, because line numbers are needed only if two lines disagree.
        frame = examine_qrels(source)[0]
    return normalise_qrels(frame, source.name, notices, lenient, map_grades, subtopics)


def normalise_qrels(
    frame: pl.DataFrame,
    name: str,
    notices: Notices,
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    subtopics: bool = False,
) -> Qrels:
    """Qrels from rows that may repeat, hold subtopics and have negative grades.

    `subtopics` says that the second field is one, also where no document has two of them.
    """
    if (frame["topic"] == "all").any():
        message = "has a topic named all, which is the name of the mean. Rename it"
        raise InputError.of(name, "topic-all", message)
    if subtopics and frame["iteration"].n_unique() < 2:
        message = (
            f"has no subtopics: the second field is {frame['iteration'][0]} on every line. "
            "Measures of diversity need ndeval's qrels, topic subtopic doc grade"
        )
        raise InputError.of(name, "no-subtopics", message)
    if subtopics or has_subtopics(frame):
        frame = settle_grades(name, frame, notices, map_grades).drop_nulls("grade")
        if frame.is_empty():
            raise InputError.of(name, "nothing-judged", "has no judged document")
        table = subtopics_of(name, frame, notices, lenient)
        if not subtopics:
            message = "holds judgments per subtopic (ndeval); a document's grade is its best"
            notices.add(name, "notice", "subtopics", message)
        return Qrels.of_frame(table.documents(), name, table)
    frame = merge_repeats(name, frame, notices, lenient, ("topic", "doc"))
    frame = settle_grades(name, frame, notices, map_grades)
    if frame["grade"].null_count() == len(frame):
        raise InputError.of(name, "nothing-judged", "has no judged document")
    if frame["stratum"].null_count() < len(frame) and frame["inclusion"].is_null().all():
        message = "has strata: read as sample_eval's, topic 0 doc stratum grade"
        notices.add(name, "notice", "strata", message)
    return Qrels.of_frame(frame.select("topic", "doc", "grade", "inclusion", "stratum"), name)


def settle_grades(
    name: str, frame: pl.DataFrame, notices: Notices, map_grades: Mapping[int, int] | None
) -> pl.DataFrame:
    """-1 becomes null (pooled but unjudged), lower ones 0 (non-relevant), and that is said."""
    if map_grades:
        for before, after in map_grades.items():
            if not -32768 <= after <= 32767:
                message = f"cannot map grade {before} to {after}: grades go from -32768 to 32767"
                raise InputError.of(name, "map", message)
        known = set(frame["grade"].unique().to_list())
        for grade in sorted(set(map_grades) - known):
            notices.add(name, "warning", "unused-map", f"no document has grade {grade}, mapped")
        frame = frame.with_columns(pl.col("grade").replace(dict(map_grades)))
    unjudged = int((frame["grade"] == -1).sum())
    negative = int((frame["grade"] < -1).sum())
    if unjudged:
        message = f"{unjudged} documents with grade -1 count as pooled but unjudged"
        notices.add(name, "notice", "unjudged-grade", message)
    if negative:
        message = f"{negative} documents with a grade below -1 count as judged non-relevant"
        notices.add(name, "notice", "negative-grade", message)
    if not unjudged and not negative:
        return frame
    settled = pl.when(pl.col("grade") == -1).then(None).otherwise(pl.col("grade").clip(0))
    return frame.with_columns(grade=settled.cast(pl.Int16))
