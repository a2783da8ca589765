"""As judged: the measure by what there is."""

from leadline.data.lists import Lists
from leadline.lab.benchmark.entrants.pools import AsJudged
from tests.lab.asked import question


def test_it_is_what_evaluate_says() -> None:
    asked = question("newcomer", 5)
    assert asked.asked is not None
    scores = asked.measure.score(Lists.of(asked.runs, asked.known)).mean()
    assert AsJudged().answer(asked).value.tolist() == scores[asked.asked].tolist()
