"""TopicSample goes through one topic after the other, each to its end."""

from hypothesis import given
from hypothesis import strategies as st

from leadline.data.draw import draw
from leadline.judging.order import TopicSample
from tests.collections import Small, small_collections
from tests.reference.rivals import whole_topics


@given(small=small_collections(), seed=st.integers(0, 5))
def test_every_step_is_the_twins(small: Small, seed: int) -> None:
    runs, _ = small.tables()
    topics = runs.pairs.topics
    luck = dict(zip(topics, draw(seed, [(topic, "") for topic in topics]), strict=True))
    asked = [runs.pairs.name(choice.pair) for choice in TopicSample(seed).start(runs).next(1000)]
    assert asked == whole_topics(small.runs, luck)
