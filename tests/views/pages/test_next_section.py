"""What to judge next, in words that tell whether it can still matter."""

from leadline.data.documents import Document
from leadline.io.topics import Texts, TopicText
from leadline.judging.certain_winner import CertainWinner, Worth, WorthJudging
from leadline.measures.rbp import RBP
from leadline.views.report_page import next_section
from tests.views.boards import head_of, rows_of

ORDER = CertainWinner(p=0.8)
ONE = Worth("7", "d<1>", 0.125, 3, "good", 2)


def worth(decides: bool, *pairs: Worth, n_unjudged: int | None = None) -> WorthJudging:
    unjudged = len(pairs) if n_unjudged is None else n_unjudged
    return WorthJudging(ORDER, RBP(p=0.8), decides, pairs, unjudged)


def test_nothing_left_is_said() -> None:
    page = next_section(worth(True), Texts())
    assert "Every document that a run returns was judged." in page
    assert "<table" not in page
    deep = next_section(worth(True, n_unjudged=2), Texts())
    assert "2 returned documents not judged, all at ranks that have no weight" in deep


def test_pairs_come_in_their_order_with_what_is_known_of_them() -> None:
    other = Worth("8", "d2", None, 1, "bad", 1)
    page = next_section(worth(True, ONE, other), Texts())
    assert "would tell most about which run is best by RBP(p=0.8)" in page
    assert "order CertainWinner(p=0.8)" in page
    assert rows_of(page, "next-table") == [
        ["d<1>", "1", "7", "0.125000", "3", "2", "good"],
        ["d2", "2", "8", "", "1", "1", "bad"],
    ]


def test_where_the_best_is_certain_intervals_are_narrowed() -> None:
    page = next_section(worth(False, ONE), Texts())
    assert "no judgment of them can change it" in page


def test_words_are_shown_where_there_are_some() -> None:
    texts = Texts({"7": TopicText("low tide")}, {"d<1>": Document("", "x" * 100)})
    page = next_section(worth(True, ONE), texts)
    assert "title" in head_of(page, "next-table")
    row = rows_of(page, "next-table")[0]
    assert row[2:4] == ["7: low tide", "x" * 80]
    titled = Texts({}, {"d<1>": Document("Tide", "long")})
    page = next_section(worth(True, ONE), titled)
    assert rows_of(page, "next-table")[0][3] == "Tide"
