"""What every pool strategy is: a named thing that picks pairs from runs."""

from abc import abstractmethod
from typing import ClassVar

from leadline.naming.registry import Named, Registry
from leadline.tables.batch_draws import BatchDraws
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

Strata = tuple[tuple[int, float], ...]
"""Sizes and rates, from the top of the lists down."""


class PoolStrategy(Named):
    """A frozen dataclass with fields as parameters; a subclass says which pairs it takes.

    `in_batches` tells whether it draws again when the first pairs are judged.
    """

    in_batches: ClassVar[bool] = False

    @property
    @abstractmethod
    def layers(self) -> Strata:
        """The strata by best rank over the runs, each with its rate."""

    @property
    def last_rank(self) -> int | None:
        """The last rank that can make a pair a member; None where every rank may."""
        return sum(size for size, _ in self.layers) or None

    @abstractmethod
    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The pairs to judge; the same for the same runs and seed, whatever their order."""

    def next_batch(
        self, runs: Runs, seed: int, judgments: Judgments | None, previous: Pool | None
    ) -> Pool:
        """The pairs drawn so far and those to judge next, by what the judgments so far say.

        A strategy that needs only ranks has one batch.
        """
        if previous is not None:
            raise ValueError(f"{self} is drawn at once: there is no batch after the first")
        return self.pool(runs, seed)

    def expected_errors(
        self, runs: Runs, seed: int, judgments: Judgments | None, previous: Pool | None
    ) -> dict[int, float]:
        """The standard error to expect, by the number of judgments; empty where nothing is said."""
        return {}

    def batch_draws(self, runs: Runs, seed: int, judgments: Judgments, pool: Pool) -> BatchDraws:
        """Batch by batch how a pool came about, all of it judged."""
        raise ValueError(f"{self} draws no batches by what was judged before")

    @property
    def error_of(self) -> str:
        """What that error is of, in words; empty where nothing is said."""
        return ""


pools: Registry[PoolStrategy] = Registry(
    "pool", "leadline.pools", more=("leadline.designs", "leadline.auditing")
)
