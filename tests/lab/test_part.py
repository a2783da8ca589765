"""DrawSize are halves of a collection, the same for everybody."""

import numpy as np
import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.benchmark.question import DrawSize, collection_of, forget, part_of
from tests.lab.asked import part


def test_a_draw_is_the_same_when_it_is_drawn_again() -> None:
    first = part()
    forget()
    again = part()
    assert first is not again
    assert first.runs.names == again.runs.names
    assert first.runs.pairs.topics == again.runs.pairs.topics
    assert first.seed == again.seed


def test_draws_differ_in_topics_and_runs() -> None:
    one, other = part(0), part(1)
    assert one.runs.pairs.topics != other.runs.pairs.topics
    assert one.runs.names != other.runs.names
    assert (len(one.runs.names), len(one.runs.pairs.topics)) == (12, 5)


def test_all_is_judged_and_what_nobody_judged_is_not_relevant() -> None:
    whole = collection_of(str(COLLECTION)).judgments
    mine = part_of(str(COLLECTION), 0, 0, DrawSize(1.0, 1000))
    assert mine.answers.judged.all()
    assert mine.answers.grade.tolist() == np.where(whole.judged, whole.grade, 0).tolist()
    assert mine.answers.max_grade == whole.max_grade


def test_there_are_no_more_topics_than_asked_for() -> None:
    few = part_of(str(COLLECTION), 0, 0, DrawSize(1.0, 12, 3))
    assert len(few.runs.pairs.topics) == 3


def test_subtopics_and_texts_are_read_where_they_are_asked_for() -> None:
    assert part().diverse is None
    on = part(0, subtopics=True)
    assert on.diverse is not None
    assert on.diverse.lists.topics == on.runs.pairs.topics
    assert on.diverse.lists.documents is not None


@pytest.mark.parametrize(("share", "runs", "topics"), [(0, 5, 5), (2, 5, 5), (1, 1, 5), (1, 5, 1)])
def test_draws_without_sense_are_refused(share: float, runs: int, topics: int) -> None:
    with pytest.raises(ValueError, match="must"):
        DrawSize(share, runs, topics)
