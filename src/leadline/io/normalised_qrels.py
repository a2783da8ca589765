"""Qrels of any kind, with everything that may be odd about them settled and said."""

from collections.abc import Mapping

import polars as pl

from leadline.data.subtopics import Subtopics
from leadline.io.formats import Reading
from leadline.io.problems import InputError, Notices, Problem
from leadline.io.qrels import Qrels

_PAIR, _SUBTOPIC = ("topic", "doc"), ("topic", "iteration", "doc")


def normalise_qrels(frame: pl.DataFrame, name: str, reading: Reading) -> Qrels:
    """Qrels from rows that may repeat, hold subtopics and have negative grades.

    Columns are topic, iteration, doc, grade, inclusion, stratum and perhaps line. The second field
    is a subtopic if reading says so, also where no document has two of them.
    """
    notices = reading.notices
    if (frame["topic"] == "all").any():
        message = "has a topic named all, which is the name of the mean. Rename it"
        raise InputError.of(name, "topic-all", message)
    if reading.subtopics and frame["iteration"].n_unique() < 2:
        message = (
            f"has no subtopics: the second field is {frame['iteration'][0]} on every line. "
            "Measures of diversity need ndeval's qrels, topic subtopic doc grade"
        )
        raise InputError.of(name, "no-subtopics", message)
    by_subtopic = reading.subtopics or reading.second_field == "subtopic"
    if reading.second_field is None:
        by_subtopic = by_subtopic or has_subtopics(frame)
    if by_subtopic:
        frame = settle_grades(name, frame, notices, reading.map_grades).drop_nulls("grade")
        frame = _merge_repeats(name, frame, reading, _SUBTOPIC)
    elif reading.second_field == "judge":
        frame = _merge_repeats(name, frame, reading, _SUBTOPIC)
        frame = settle_grades(name, frame, notices, reading.map_grades)
        frame = _medians(name, frame, notices)
    else:
        frame = _merge_repeats(name, frame, reading, _PAIR)
        frame = settle_grades(name, frame, notices, reading.map_grades)
    if frame["grade"].null_count() == len(frame):
        raise InputError.of(name, "nothing-judged", "has no judged document")
    if by_subtopic:
        if not reading.subtopics:
            message = "holds judgments per subtopic (ndeval); a document's grade is its best"
            notices.add(name, "notice", "subtopics", message)
        columns = ("topic", pl.col("iteration").alias("subtopic"), "doc", "grade")
        table = Subtopics(frame.select(columns).sort("topic", "subtopic", "doc"))
        return Qrels.of_frame(table.documents(), name, table)
    if frame["stratum"].null_count() < len(frame) and frame["inclusion"].is_null().all():
        message = "has strata: read as sample_eval's, topic 0 doc stratum grade"
        notices.add(name, "notice", "strata", message)
    return Qrels.of_frame(frame.select("topic", "doc", "grade", "inclusion", "stratum"), name)


def _medians(name: str, frame: pl.DataFrame, notices: Notices) -> pl.DataFrame:
    """One row for each pair: the median of its judges' grades, of two in the middle the lower."""
    n_judges = frame["iteration"].n_unique()
    first = [pl.col(column).first() for column in ("inclusion", "stratum")]
    grades = pl.col("grade").drop_nulls()
    merged = frame.group_by(_PAIR, maintain_order=True).agg(
        grades.quantile(0.5, interpolation="lower").cast(pl.Int16).alias("grade"),
        pl.col("iteration").first(),
        *first,
        grades.n_unique().alias("different"),
        grades.len().alias("judges"),
    )
    several, apart = int((merged["judges"] > 1).sum()), int((merged["different"] > 1).sum())
    message = (
        f"{n_judges:,} judges: {several:,} documents have several grades, {apart:,} different "
        "ones; the median counts, of two in the middle the lower"
    )
    notices.add(name, "notice", "judges", message)
    return merged.drop("different", "judges")


def has_subtopics(frame: pl.DataFrame) -> bool:
    """Whether some document of a topic is judged under two different second fields.

    In plain qrels the second field is an iteration that nobody uses, in ndeval's a subtopic.
    """
    if frame["iteration"].n_unique() < 2:
        return False
    return frame.select(_PAIR).n_unique() < frame.select(_SUBTOPIC).n_unique()


def has_repeats(frame: pl.DataFrame, reading: Reading) -> bool:
    """Whether some document is judged twice: for a topic, or for a subtopic or by a judge."""
    if not frame.select(_PAIR).is_duplicated().any():
        return False
    second = reading.subtopics or reading.second_field in ("subtopic", "judge")
    second = second or (reading.second_field is None and has_subtopics(frame))
    return bool(frame.select(_SUBTOPIC if second else _PAIR).is_duplicated().any())


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
        used = {before: after for before, after in map_grades.items() if before in known}
        frame = frame.with_columns(pl.col("grade").replace(used))
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


def _merge_repeats(
    name: str, frame: pl.DataFrame, reading: Reading, unit: tuple[str, ...]
) -> pl.DataFrame:
    """Each unit once: identical repeats merge with a notice, conflicting ones are an error.

    Messages name the column `line` if there is one, else the row. Lenient keeps the first of two
    that disagree.
    """
    again = frame.select(unit).is_duplicated()
    if not again.any():
        return frame
    numbered = "line" in frame.columns
    rows = frame if numbered else frame.with_row_index("line", 1)
    first: dict[tuple[str, ...], tuple[int, tuple[object, ...]]] = {}
    conflicts, n_same = [], 0
    wanted = rows.filter(again).select(*unit, "line", "grade", "inclusion", "stratum")
    for *key, line, grade, share, part in wanted.iter_rows():
        what = grade, share, part
        before, was = first.setdefault(tuple(key), (line, what))
        if before == line:
            continue
        if was == what:
            n_same += 1
            continue
        where = f"{'line' if numbered else 'row'} {before}"
        told = f"another inclusion probability or stratum than on {where}"
        if was[0] != grade:
            told = f"grade {grade} here and {was[0]} on {where}"
        message = f"doc {key[-1]} of topic {key[0]} has {told}. Decide for one of them"
        at = line if numbered else None
        here = "" if numbered else f"row {line}: "
        conflicts.append(Problem(name, at, "error", "conflict", here + message))
    if conflicts and not reading.skip_bad_lines:
        raise InputError(conflicts)
    if conflicts:
        message = f"{len(conflicts)} judgments that conflict were skipped"
        reading.notices.add(name, "warning", "skipped", message)
    if n_same:
        message = f"{n_same} judgments given twice, identical, were merged"
        reading.notices.add(name, "notice", "merged", message)
    return frame.unique(unit, keep="first", maintain_order=True)
