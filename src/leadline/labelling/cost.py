"""What labelling costs: tokens counted or estimated, and their price."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

BYTES_PER_TOKEN = 4
"""Of UTF-8: a rule of thumb for English; tokens of other languages are often shorter."""

TOKENS_PER_MESSAGE = 4
"""What a message adds to its text: who speaks, and where it ends."""

USUAL_TOKENS_OUT = 8
"""Of an answer that is the one line that was asked for."""

MILLION = 1_000_000


def estimated_tokens(texts: Sequence[str]) -> int:
    """About how many tokens messages have.

    >>> estimated_tokens(["a" * 400])
    104
    """
    n_bytes = sum(len(text.encode("utf-8", "replace")) for text in texts)
    return -(-n_bytes // BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE * len(texts)


@dataclass(frozen=True)
class Cost:
    """Asks and their tokens; prices are of a million tokens, None where they are not known."""

    asks: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price_in: float | None = None
    price_out: float | None = None

    @property
    def price(self) -> float | None:
        """What the tokens cost, in the currency of the prices."""
        if self.price_in is None and self.price_out is None:
            return None
        paid = self.tokens_in * (self.price_in or 0.0) + self.tokens_out * (self.price_out or 0.0)
        return paid / MILLION

    def plus(self, tokens_in: int, tokens_out: int) -> "Cost":
        """This and one more ask."""
        return replace(
            self,
            asks=self.asks + 1,
            tokens_in=self.tokens_in + tokens_in,
            tokens_out=self.tokens_out + tokens_out,
        )

    def told(self) -> str:
        """In words."""
        words = f"{self.tokens_in:,} tokens in, {self.tokens_out:,} out"
        return words if self.price is None else f"{words}, price {self.price:,.4f}"
