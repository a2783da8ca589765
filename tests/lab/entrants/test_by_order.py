"""Orders spend the budget and are scored by what they judged."""

import numpy as np
import pytest

from leadline.judging.order import orders
from leadline.lab.benchmark.entrants.methods import ByLikelyWinner, ByOrder
from leadline.lab.benchmark.question import Entrant, Truth
from tests.lab.asked import everything, question


@pytest.mark.parametrize("entrant", ByOrder.variants(), ids=lambda each: each.title)
def test_the_budget_is_spent_and_no_more(entrant: ByOrder) -> None:
    asked = question("best", 50)
    answer = entrant.answer(asked)
    assert asked.judgments == 50
    # What nobody judged counts nothing, so nobody is overrated.
    assert (answer.value <= Truth.of(asked).value + 1e-12).all()


def test_an_order_judges_by_the_questions_measure() -> None:
    by_p = question("best", 50, "RBP(p=0.95)")
    ByOrder("MoffatC").answer(by_p)
    stepper = orders.parse("MoffatC(p=0.95)").start(by_p.looked_at)
    for _ in range(50):
        (choice,) = stepper.next()
        assert by_p.known.judged[choice.pair]
        stepper.tell(choice.pair, int(by_p.hidden.grade[choice.pair]))


def test_who_judges_all_is_right() -> None:
    asked = everything("P@10")
    assert np.allclose(ByOrder("MaxMean").answer(asked).value, Truth.of(asked).value)


@pytest.mark.parametrize(
    "entrant", [ByOrder("MaxMean"), ByOrder("CertainWinner"), ByLikelyWinner()]
)
@pytest.mark.parametrize("budgets", [(40, 80, 120), (30, 90)])
def test_on_the_way_to_a_large_budget_the_smaller_ones_are_answered(
    entrant: Entrant, budgets: tuple[int, ...]
) -> None:
    together = [question("best", n) for n in budgets]
    on_the_way = list(entrant.in_turn(together))
    for asked, told, n in zip(together, on_the_way, budgets, strict=True):
        alone = question("best", n)
        assert told.value.tolist() == entrant.answer(alone).value.tolist()
        assert asked.known.judged.tolist() == alone.known.judged.tolist()
