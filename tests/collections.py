"""Random small collections, for Hypothesis: lists, judgments, and the tables made of them."""

from hypothesis import strategies as st

from leadline.contracts.collections import SmallCollection as Small

__all__ = ["Small", "small_collections"]


@st.composite
def small_collections(
    draw: st.DrawFn,
    n_docs: int = 8,
    n_topics: int = 3,
    n_runs: int = 3,
    max_grade: int = 3,
    judged: float = 0.6,
) -> Small:
    """Up to so many runs, topics and documents; lists of any length, also none."""
    top = draw(st.integers(1, max_grade))
    topics = [str(number) for number in range(1, draw(st.integers(1, n_topics)) + 1)]
    docs = [f"d{number}" for number in range(n_docs)]
    grades = {
        topic: {
            doc: draw(st.integers(0, top))
            for doc in docs
            if draw(st.floats(0, 1, exclude_max=True)) < judged
        }
        for topic in topics
    }
    runs = {
        f"run{number}": {
            topic: draw(st.permutations(docs))[: draw(st.integers(0, n_docs))] for topic in topics
        }
        for number in range(draw(st.integers(1, n_runs)))
    }
    return Small(runs, grades, top)
