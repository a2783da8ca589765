"""Who counts as new, from whom pools are drawn, and what is then known."""

from pathlib import Path

import numpy as np
import pytest

import leadline
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.lab.papers.runner import Setting
from leadline.lab.papers.webber09_plan import (
    BEST_MANUAL,
    DEPTH,
    MEASURE,
    forget,
    newcomers,
    sample,
    setup,
)

FOLDER = str(COLLECTION)


def test_all_that_some_run_ranks_high_is_judged() -> None:
    on = setup(FOLDER, None)
    assert (on.judgments.judged == (on.runs.best_rank <= DEPTH)).all()
    read = leadline.read(COLLECTION)
    whole = MEASURE.score(Lists.of(read.runs, read.judgments))
    # What the judgments lack is non-relevant, and beyond rank 10 nothing counts.
    assert on.true == pytest.approx(whole.value)


def test_only_what_the_pooled_runs_rank_high_is_known() -> None:
    on = setup(FOLDER, None)
    pooled = np.arange(len(on.runs.names)) < 2
    evidence = on.evidence(pooled, ~pooled)
    top = on.runs.only(pooled).cut(DEPTH)
    member = np.zeros(len(on.runs.pairs), np.bool_)
    member[top.pair] = True
    assert (evidence.judgments.judged == member).all()
    assert on.condensed(evidence).shape == ((~pooled).sum(), len(on.runs.pairs.topics))


def test_kinds_come_from_the_type_of_a_run() -> None:
    read = leadline.read(COLLECTION)
    kinds = np.array(read.groups["type"].fill_null("").to_list())
    for each in newcomers(Setting(FOLDER)):
        assert set(kinds[each.new]) == {each.kind}
        if each.kind == "manual":
            assert len(each.new) == min(BEST_MANUAL, int((kinds == "manual").sum()))
            assert not set(each.new.tolist()) & set(each.pooled.tolist())
        else:
            assert each.pooled.tolist() == each.new.tolist()


def test_new_runs_may_be_named() -> None:
    names = leadline.read(COLLECTION).runs.names
    (found,) = newcomers(Setting(FOLDER, newcomers=f"{names[3]}, {names[0]}"))
    assert found.new.tolist() == [3, 0]
    assert len(found.pooled) == len(names) - 2
    with pytest.raises(ValueError, match="nobody is neither a run nor a type"):
        newcomers(Setting(FOLDER, newcomers="nobody"))
    with pytest.raises(ValueError, match="at least two runs that are not new"):
        newcomers(Setting(FOLDER, newcomers=",".join(names[1:])))


def test_a_missing_column_is_said(tmp_path: Path) -> None:
    groups = tmp_path / "groups.tsv"
    names = leadline.read(COLLECTION).runs.names
    groups.write_text("run\tgroup\n" + "".join(f"{name}\tg\n" for name in names))
    with pytest.raises(ValueError, match="no column type"):
        newcomers(Setting(FOLDER, groups=str(groups)))
    forget()


def test_a_draw_takes_so_many_of_those_it_may() -> None:
    chosen = sample(np.array([1, 3, 4, 6]), 3, 50, 8, np.random.default_rng(0))
    assert (chosen.sum(axis=1) == 3).all()
    assert np.flatnonzero(chosen.any(axis=0)).tolist() == [1, 3, 4, 6]
    assert len({tuple(row) for row in chosen.tolist()}) == 4
