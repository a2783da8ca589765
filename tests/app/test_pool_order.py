"""A pool in place of an order: its pairs, one after the other, and only those."""

from pathlib import Path

import pytest

from leadline.app.pool_order import PoolOrder
from leadline.io.problems import InputError
from tests.app.projects import asked_for, small
from tests.collections import Small

RUNS, KNOWN = Small({"r": {"1": ["a", "b", "c"]}}, {"1": {"b": 1}}, 1).tables()


def test_a_pool_is_judged_in_its_own_order_and_only_it(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", pool="pool.csv", stop="")
    (folder / "pool.csv").write_text("topic,doc\n1,d4\n1,d2\n1,nowhere\n")
    assert asked_for(folder) == ["d4", "d2"]


def pool(folder: Path, *docs: str) -> PoolOrder:
    (folder / "my.csv").write_text("topic,doc\n" + "".join(f"1,{doc}\n" for doc in docs))
    return PoolOrder(folder / "my.csv")


def docs(order: PoolOrder, judged: bool) -> list[str]:
    stepper = order.start(RUNS, KNOWN if judged else None)
    return [RUNS.pairs.name(choice.pair)[1] for choice in stepper.next(9)]


def test_what_is_judged_or_returned_by_no_run_is_not_asked_for(tmp_path: Path) -> None:
    order = pool(tmp_path, "c", "nowhere", "b", "a")
    assert docs(order, judged=False) == ["c", "b", "a"]
    assert docs(order, judged=True) == ["c", "a"]
    assert str(order) == "the pool my.csv"
    assert not order.learns_from_asking


def test_a_pool_of_other_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"my\.csv: holds no document that these runs return"):
        pool(tmp_path, "x", "y").start(RUNS)
