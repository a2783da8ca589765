"""Draws depend on the seed and the name alone, and are uniform."""

from hashlib import blake2b

import numpy as np

from leadline.data.draw import draw, draw_pairs
from leadline.data.pairs import Pairs
from tests.reference import pools as plain

NAMES = [(str(topic), f"d{doc}") for topic in range(40) for doc in range(50)]


def test_a_number_is_the_first_53_bits_of_the_hash() -> None:
    digest = blake2b(b"7\x1f1\x1fa", digest_size=8).digest()
    assert draw(7, [("1", "a")])[0] == (int.from_bytes(digest, "big") >> 11) / 2**53


def test_company_and_order_change_nothing() -> None:
    together = dict(zip(NAMES, draw(3, NAMES), strict=True))
    assert [together[name] for name in NAMES[::-7]] == draw(3, NAMES[::-7]).tolist()
    assert together[NAMES[5]] != draw(4, NAMES[5:6])[0]


def test_numbers_are_uniform() -> None:
    number = draw(0, NAMES)
    assert number.min() >= 0
    assert number.max() < 1
    # Kolmogorov and Smirnov's distance, at one in a million.
    steps = np.arange(len(number) + 1) / len(number)
    ordered = np.sort(number)
    distance = max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max())
    assert distance < np.sqrt(np.log(2e6) / 2 / len(number))


def test_no_name_runs_into_the_next() -> None:
    assert draw(0, [("1", "1a")])[0] != draw(0, [("11", "a")])[0]


def test_pairs_have_the_numbers_of_their_names() -> None:
    pairs = Pairs.of(["2", "1", "1"], ["b", "b", "a"])
    wanted = np.array([2, 0])
    expected = draw(5, [pairs.name(2), pairs.name(0)])
    assert draw_pairs(5, pairs, wanted).tolist() == expected.tolist()


def test_draws_are_the_same_on_every_machine() -> None:
    names = [("401", "FT911-3"), ("ä", "ß"), ("", "")]
    assert draw(1, names).tolist() == [plain.u(1, *name) for name in names]
    assert 0.48 < draw(0, [("1", str(number)) for number in range(20000)]).mean() < 0.52
