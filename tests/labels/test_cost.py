"""Tokens and prices add up."""

from leadline.labels.asking import Cost, estimated_tokens


def test_price_is_of_a_million_tokens() -> None:
    cost = Cost(price_in=2.0, price_out=10.0).plus(500_000, 100_000).plus(500_000, 0)
    assert (cost.asks, cost.price) == (2, 3.0)
    assert cost.told() == "1,000,000 tokens in, 100,000 out, price 3.0000"


def test_without_prices_there_is_none() -> None:
    assert Cost().plus(5, 5).price is None
    assert "price" not in Cost().told()
    assert Cost(price_in=1.0).plus(1_000_000, 7).price == 1.0


def test_the_estimate_counts_bytes_and_messages() -> None:
    assert estimated_tokens([]) == 0
    assert estimated_tokens(["abcd", "e"]) == 2 + 2 * 4
    assert estimated_tokens(["\u4e2d" * 4]) == 3 + 4
    assert estimated_tokens(["\udcff"]) == 1 + 4
