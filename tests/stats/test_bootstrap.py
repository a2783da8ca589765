"""The bootstrap test against every draw that there is."""

import itertools
import math

import numpy as np
import pytest

from leadline.stats import significance as bootstrap
from leadline.stats.significance import Bootstrap, Tails


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("tails", [1, 2])
@pytest.mark.parametrize("values", [(0.1, 0.5, 0.2, 0.7), (0.3, -0.1, 0.2, 0.1), (-1.0, 2.0, 4.0)])
def test_bootstrap_comes_close_to_all_draws(values: tuple[float, ...], tails: Tails) -> None:
    n = len(values)
    mean = sum(values) / n

    def t(sample: tuple[float, ...]) -> float:
        middle = sum(sample) / n
        spread = math.sqrt(sum((x - middle) ** 2 for x in sample) / (n - 1))
        if spread < 1e-9:
            return 0.0 if abs(middle) < 1e-9 else math.copysign(math.inf, middle)
        return middle * math.sqrt(n) / spread

    seen = t(values)
    as_far = 0
    for draw in itertools.product([value - mean for value in values], repeat=n):
        drawn = t(draw)
        size, bound = (drawn, seen) if tails == 1 else (abs(drawn), abs(seen))
        as_far += size >= bound - 1e-9
    ours = Bootstrap(n=100_000).p(np.array([values]), tails, random(3))[0]
    assert abs(ours - as_far / n**n) < 0.007


def test_a_pair_has_the_same_p_in_any_company_and_any_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    difference = random(4).normal(0.2, 1.0, (30, 20))
    difference[3, 5] = np.nan
    test = Bootstrap(n=500)
    together = test.p(difference, 2, random(7))
    alone = np.concatenate([test.p(difference[[at]], 2, random(7)) for at in range(30)])
    assert (together == alone).all()
    monkeypatch.setattr(bootstrap, "CELLS", 1)
    assert (test.p(difference, 2, random(7)) == together).all()


def test_p_is_never_0_and_one_topic_says_nothing() -> None:
    far = np.full((1, 40), 0.5) + random().normal(0, 0.01, (1, 40))
    assert Bootstrap(n=999).p(far, 2, random())[0] == 0.001
    assert np.isnan(Bootstrap(n=99).p(np.array([[0.4], [0.0]]), 2, random())).all()


@pytest.mark.parametrize("n", [0, -3, 10_000_001])
def test_the_number_of_draws_must_make_sense(n: int) -> None:
    with pytest.raises(ValueError, match="number of draws"):
        Bootstrap(n=n)
