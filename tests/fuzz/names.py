"""Targets for the grammar of names, and for what names stand for with odd parameters."""

import traceback

import numpy as np

from leadline.contracts.collections import SmallCollection
from leadline.data.lists import sketch
from leadline.judging.order import orders
from leadline.listing import KINDS
from leadline.measures.measure import measures
from leadline.pooling.strategies import pools
from leadline.registry import NamingError, parse_spec
from tests.fuzz.target import may_refuse, target


@target("names", share=250)
def names(data: bytes) -> None:
    """Whatever the text: a thing whose name leads back to it, in one registry, or a refusal."""
    text = data.decode("utf-8", "surrogateescape")
    with may_refuse(kinds=NamingError):
        spec = parse_spec(text)
        assert parse_spec(str(spec)) == spec, str(spec)
    # Every second text goes to measures, which have most parameters.
    registry = list(KINDS.values())[len(data) % 16 % len(KINDS) if len(data) % 2 else 0]
    with may_refuse(kinds=NamingError):
        thing = registry.parse(text)
        again = registry.parse(str(thing))
        assert again == thing, str(thing)
        assert str(again) == str(thing)


LISTS = sketch("1 ? 0 2 ?", elsewhere="1 3")
SMALL = SmallCollection(
    {"x": {"1": ["a", "b", "c"], "2": ["b"]}, "y": {"1": ["c", "a"], "2": ["d", "b", "e"]}},
    {"1": {"a": 1, "c": 0}, "2": {"b": 2}},
    2,
)
RUNS, JUDGMENTS = SMALL.tables()


@target("names", share=5)
def named_things_work(data: bytes) -> None:
    """What a name stands for works on a small collection, or refuses in our own words."""
    text = data.decode("utf-8", "surrogateescape")
    for use in (_score, _pool, _order):
        try:
            use(text)
        except NamingError:
            continue
        except ValueError as error:
            last = traceback.extract_tb(error.__traceback__)[-1].filename
            assert "leadline" in last, f"numpy's words: {error}"


def _score(text: str) -> None:
    measure = measures.parse(text)
    if measure.needs != "judgments":
        return
    scores = measure.score(LISTS)
    value, lower, upper = (float(end[0, 0]) for end in (scores.value, scores.lower, scores.upper))
    assert not np.isinf(value), f"{measure} is infinite"
    if not np.isnan(lower) and not np.isnan(value):
        assert lower <= value + 1e-12, (lower, value)
        assert value <= upper + 1e-12, (value, upper)


def _pool(text: str) -> None:
    pool = pools.parse(text).pool(RUNS, 1)
    assert len(pool.member) == len(RUNS.pairs)
    assert ((pool.inclusion >= 0) & (pool.inclusion <= 1)).all()


def _order(text: str) -> None:
    stepper = orders.parse(text).start(RUNS, JUDGMENTS)
    chosen = [choice.pair for choice in stepper.next(3)]
    assert len(set(chosen)) == len(chosen)
