"""What every measure is: a named thing that turns lists into scores with intervals."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from leadline.measures.aliases import ABSENT, SYNONYMS, canonical
from leadline.measures.gains import BEST_GRADE, check_gains
from leadline.measures.trec_eval_names import expanded
from leadline.naming.registry import Named, Registry
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.lists import Block, Lists, sketch
from leadline.tables.scores import OverTopics, Scores

DEEPEST = 1_000_000
"""No list is longer, and weights are made for every rank down to the depth."""

if TYPE_CHECKING:
    from leadline.measures.weighted import Weighted

Interval = tuple[Floats, Floats, Floats]
"""Value, lower end, upper end: one number a list."""


class Measure(Named):
    """A frozen dataclass with fields as parameters; a subclass says what a block of lists scores.

    `needs` tells what must be known of the documents: a measure that needs the sampling is given
    lists that tell how the judged documents were drawn. `bounded` is false for measures that have
    no interval. `counts` tells of a plain count which relevant documents it counts: those of the
    list or all of the topic. `over_topics` is what the row `all` has of it.
    """

    at: ClassVar[str | None] = "k"
    needs: ClassVar[Literal["judgments", "sampling", "subtopics", "documents"]] = "judgments"
    bounded: ClassVar[bool] = True
    counts: ClassVar[Literal["list", "topic"] | None] = None
    over_topics: ClassVar[OverTopics] = "mean"
    judged_only = False

    def __post_init__(self) -> None:
        """A ValueError if a depth, a least relevant grade or gains make no sense."""
        if self.depth is not None and not 1 <= self.depth <= DEEPEST:
            raise ValueError(f"the depth must be between 1 and {DEEPEST:,}, not {self.depth}")
        rel: int = getattr(self, "rel", 1)
        if rel < 1:
            raise ValueError(f"rel, the least relevant grade, must be at least 1, not {rel}")
        top: int | None = getattr(self, "max_grade", None)
        for name, grade in (("rel", rel), ("max_grade", top or 0)):
            if grade > BEST_GRADE:
                raise ValueError(f"{name}={grade}, but grades go no further than {BEST_GRADE}")
        check_gains(getattr(self, "gains", "binary"))

    @property
    def depth(self) -> int | None:
        """The last rank it looks at; None if it looks at all of them."""
        depth: int | None = getattr(self, "k", None)
        return depth

    @property
    def last_rank(self) -> int | None:
        """The last rank of a list that can matter to it; None if all may.

        Without unjudged documents those below move up.
        """
        whole = self.needs != "judgments" or getattr(self, "judged_only", False)
        return None if whole else self.depth

    @property
    def numerator(self) -> "Weighted | None":
        """The sum of weights and gains that it is, or is a share of; None if there is none."""
        return None

    @property
    def averaged(self) -> "Weighted | None":
        """P@k, if it is the mean of that at relevant ranks of the first k; None if it is not."""
        return None

    def ideals(self, counts: Int64s, max_grade: int) -> tuple[Floats, float]:
        """What the numerator is divided by: by topic as judged so far, and the most it can become.

        `counts` [topics, grades] are the judged documents. It never falls when more is judged, and
        is the same for all runs; 1 for a measure that is its own numerator.
        """
        return np.ones(len(counts)), 1.0

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Value, lower and upper of each list in the block.

        Measures that see more than grades have their own `score` instead.
        """
        raise NotImplementedError(f"{type(self).__name__} is not scored by grades alone")

    def score(self, lists: Lists) -> Scores:
        """The score of every run on every topic; on condensed lists there is no interval."""
        value, lower, upper, judged = (np.full(lists.start.size, np.nan) for _ in range(4))
        for block in lists.blocks(self.depth):
            judged[block.row] = self.share_judged(block)
            if not self.judged_only:
                value[block.row], lower[block.row], upper[block.row] = self.interval(
                    block, lists.max_grade
                )
        if self.judged_only:
            for block in lists.condensed().blocks(self.depth):
                value[block.row] = self.interval(block, lists.max_grade)[0]
        if self.judged_only or not self.bounded:
            lower[:] = upper[:] = np.nan
        return Scores.of_lists(
            lists, str(self), value, judged, lower, upper, over_topics=self.over_topics
        )

    def share_judged(self, block: Block) -> Floats:
        """The share of the depth, or of the list where there is none, that was judged."""
        ranks = block.length.astype(np.float64)
        ranks[:] = np.where(ranks > 0, ranks, np.nan) if self.depth is None else self.depth
        share: Floats = block.n_judged / ranks
        return share

    def sketch(self, ranking: str, elsewhere: str = "", max_grade: int | None = None) -> str:
        """Score and interval of one list given by its grades: see `tables.lists.sketch`."""
        return self.example(sketch(ranking, elsewhere, max_grade))

    def example(self, lists: Lists) -> str:
        """Score and interval of the first of the lists, as examples show them."""
        scores = self.score(lists)
        value, lower, upper = (
            float(array[0, 0]) for array in (scores.value, scores.lower, scores.upper)
        )
        return f"{value:.4f}" + ("" if np.isnan(lower) else f" [{lower:.4f}, {upper:.4f}]")


measures: Registry[Measure] = Registry(
    "measure",
    "leadline.measures",
    canonical,
    more=("leadline.diversity",),
    synonyms=SYNONYMS,
    absent=ABSENT,
)


DEFAULT_MEASURES = ("RBP(p=0.8)", "nDCG@10", "P@10")
"""What every verb takes where no measure is named, as far as it can score by them."""

WEIGHTED_MEASURES = ("RBP(p=0.8)", "P@10")
"""Those of them that are sums of weights and gains, for verbs that estimate gains."""

MeasureNames = str | Measure | Iterable[str | Measure] | None
"""One name or several, or measures of Leadline or ir_measures; None for the default ones."""


def parse_measure(name: object) -> Measure:
    """The measure that a name stands for, in our spelling or that of trec_eval or ir_measures.

    Measures of ir_measures are taken by their name, those of Leadline as they are.

    >>> str(parse_measure("ndcg_cut_10"))
    'nDCG@10'
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str) and not hasattr(name, "SUPPORTED_PARAMS"):
        raise TypeError(f"a measure is named by text, 'AP' for instance, not by {name!r}")
    several = expanded(str(name))
    if len(several) > 1:
        raise ValueError(f"{name} stands for {len(several)} measures: name the one that you mean")
    return measures.parse(str(name))


NOT_WEIGHTED = (
    "is no sum of weights and gains, nor a share of one: RBP(p=0.8), P@10, DCG@10, SDCG@10 and "
    "nDCG@10 are, for instance"
)
"""Why a measure will not do where ranks are to be weighed, and which ones will."""


def parse_numerator(name: object) -> "Weighted":
    """The sum of weights and gains that a measure is, or is a share of; a ValueError if none."""
    weighted = parse_measure(name).numerator
    if weighted is None:
        raise ValueError(f"{name} {NOT_WEIGHTED}")
    return weighted


def last_rank(measures: Iterable[Measure]) -> int | None:
    """The last rank of a list that can matter to some of these measures; None if all may."""
    ranks = [measure.last_rank for measure in measures]
    return max((rank for rank in ranks if rank is not None), default=None) if all(ranks) else None


def parse_measures(
    names: MeasureNames = None, default: tuple[str, ...] = DEFAULT_MEASURES
) -> tuple[Measure, ...]:
    """The measures that names stand for, each once; the default ones for None.

    A name may stand for several, as trec_eval has them.

    >>> [str(measure) for measure in parse_measures(["map", "AP", "P.5,10"])]
    ['AP', 'P@5', 'P@10']
    """
    if names is None:
        names = default
    several = isinstance(names, Iterable) and not isinstance(names, str)
    given: Iterable[object] = names if several else [names]  # type: ignore[assignment]
    by_name = {}
    for name in given:
        for each in expanded(name) if isinstance(name, str) else [name]:
            measure = parse_measure(each)
            by_name[str(measure)] = measure
    if not by_name:
        raise ValueError("name a measure, for instance RBP(p=0.8)")
    return tuple(by_name.values())
