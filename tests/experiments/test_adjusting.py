"""webber09 and lipani16: filtered pools equal rebuilt ones, files as promised, bad input."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.demo import COLLECTION
from leadline.experiments.lipani16_plan import left_out
from leadline.experiments.papers import Setting
from leadline.experiments.webber09_draws import Draws
from leadline.experiments.webber09_setup import newcomers, sample, setup
from leadline.verbs.reproduce import reproduce
from tests.reference import adjuster_experiments as plain
from tests.reference import adjusters as plain_adjusters
from tests.reference import measures as plain_measures
from tests.reference import regression as plain_regression

COLUMNS = {
    "webber09": {
        "figure1": "width,treatment,mean,q1,q3",
        "table1": "newcomers,width,raw,adjusted",
        "table2": "newcomers,treatment,width,common,unadjusted,mixed,adjusted",
        "table3": "newcomers,treatment,width,common,unadjusted,mixed,adjusted",
        "table4": "newcomers,treatment,width,common,unadjusted,mixed,adjusted",
    },
    "lipani16": {
        "table1": "sizes,percents,judged_per_run",
        "figure1": "measure,depth,corrector,mae",
        "figure2": "measure,rate,corrector,mae",
        "figure3": "measure,stratification,corrector,mae",
    },
}


def dicts() -> tuple[dict[str, plain_adjusters.Run], plain_adjusters.Qrels, dict[str, str]]:
    """The demo collection as plain dicts."""
    read = leadline.read(COLLECTION)
    pairs = read.runs.pairs
    runs: dict[str, plain_adjusters.Run] = {}
    for run, name in enumerate(read.runs.names):
        runs[name] = {
            topic: [
                pairs.name(pair)[1]
                for pair in read.runs.pair[read.runs.start[run, t] : read.runs.stop[run, t]]
            ]
            for t, topic in enumerate(pairs.topics)
        }
    qrels: plain_adjusters.Qrels = {topic: {} for topic in pairs.topics}
    for pair in np.flatnonzero(read.judgments.judged):
        topic, doc = pairs.name(int(pair))
        qrels[topic][doc] = int(read.judgments.grade[pair])
    return runs, qrels, dict(zip(read.runs.names, read.runs.group, strict=True))


def rbp(ranking: list[str], judged: dict[str, int]) -> float:
    return plain_measures.rbp(ranking, judged, 0.8, 10) / (1 - 0.8**10)


def test_draws_of_webber09_equal_rebuilt_pools() -> None:
    setting = Setting(str(COLLECTION))
    on = setup(setting.folder, None)
    names = on.runs.names
    runs, truth, _ = dicts()
    topics = list(on.runs.pairs.topics)
    group = next(each for each in newcomers(setting) if each.kind == "automatic")
    chosen = sample(group.pooled, 4, 3, len(names), np.random.default_rng(1))
    draws = Draws.of(on, chosen, group.new)
    scores = {False: draws.irrelevant, True: draws.condensed}
    assert (np.isnan(draws.irrelevant[:, 0, :]) == chosen[:, group.new].T).all()
    for draw in range(3):
        pooled = [names[run] for run in np.flatnonzero(chosen[draw])]
        for at in [at for at, run in enumerate(group.new) if not chosen[draw, run]][:4]:
            one = plain.Draw(pooled, names[group.new[at]])
            true = on.true[group.new[at]].mean()
            for condensed, found in scores.items():
                bias = plain.biases(runs, truth, 10, [one], topics, rbp, condensed)[0]
                assert found[at, :, draw].mean() - true == pytest.approx(bias, abs=1e-12)
            error = plain.systems_errors(runs, truth, 10, [one], topics, rbp)[1]
            mine = scores[False][at, :, draw].mean() + draws.amount["systems"][at, draw] - true
            assert abs(mine) == pytest.approx(abs(error), abs=1e-12)
    one = plain.Draw(pooled, names[group.new[at]])
    known = plain.judge(plain.depth_pool([runs[name] for name in pooled], 10), truth)
    weights = [0.2 * 0.8**rank / (1 - 0.8**10) for rank in range(10)]
    twin = plain_regression.predicted(
        {name: runs[name] for name in pooled}, runs[one.new], known, weights, topics
    )
    assert draws.amount["predicted"][at, draw] == pytest.approx(twin.adjustment, abs=1e-8)


def test_leaving_an_organisation_out_equals_rebuilding_the_pool() -> None:
    """Without correction and with WebberRuns, on two depth pools."""
    setting = Setting(str(COLLECTION), reference_depth=20)
    runs, truth, group_of = dicts()
    marked = leadline.read(COLLECTION).groups
    pooled_names = marked.filter(pl.col("pooled"))["run"].to_list()
    runs = {name: runs[name] for name in pooled_names}
    topics = list(truth)

    def score(ranking: list[str], judged: dict[str, int]) -> float:
        return plain_measures.precision(ranking, judged, 10)

    reference = plain.judge(plain.depth_pool(list(runs.values()), 20), truth)
    kept = {name: runs[name] for name in plain.best_runs(runs, reference, topics, score)}
    groups = {name: group_of[name] for name in kept}
    organisation = groups[next(iter(sorted(kept)))]
    found = left_out(setting, 10, organisation, np.random.default_rng(0))
    mine = {name: run for name, run in kept.items() if groups[name] == organisation}
    others = {name: run for name, run in kept.items() if groups[name] != organisation}
    true = plain.judge(plain.depth_pool(list(kept.values()), 20), truth)
    assert found["runs"] == len(mine)
    for depth in (5, 10):

        def pooler(some: list[plain_adjusters.Run], depth: int = depth) -> set[tuple[str, str]]:
            return plain.depth_pool(some, depth)

        errors = found["errors"][f"Depth(d={depth})"]
        qrels = plain.judge(pooler(list(others.values())), truth)
        order = [name for name in pooled_names if name in mine]
        for name, none, webber in zip(order, errors["None"], errors["WebberRuns"], strict=True):
            target = plain_adjusters.mean_score(kept[name], topics, true, score)
            raw = plain_adjusters.mean_score(kept[name], topics, qrels, score)
            assert none == pytest.approx(raw - target, abs=1e-12)
            put = plain.webber_by_rebuilding(others, kept[name], truth, pooler, topics, score)
            assert webber == pytest.approx(put - target, abs=1e-12)


@pytest.mark.parametrize("paper", COLUMNS)
def test_files_have_the_promised_columns(paper: str, tmp_path: Path) -> None:
    options = {"reference_depth": 20} if paper == "lipani16" else {}
    result = reproduce(paper, COLLECTION, tmp_path, quick=True, **options)  # type: ignore[arg-type]
    for name, columns in COLUMNS[paper].items():
        text = (tmp_path / f"{name}.csv").read_text(encoding="utf-8")
        assert text.startswith(columns)
        assert text.count("\n") > 1
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert "<svg" in page
    assert result.lines
    if paper == "lipani16":
        named = pl.read_csv(tmp_path / "figure1.csv")["corrector"].unique().to_list()
        assert sorted(named) == [
            "Lipani(merge=average)",
            "Lipani(merge=replace)",
            "None",
            "Predicted",
            "WebberRuns",
        ]


def test_newcomers_may_be_named(tmp_path: Path) -> None:
    names = "farlight-hand,holmsand-random"
    reproduce("webber09", COLLECTION, tmp_path, quick=True, newcomers=names)
    assert pl.read_csv(tmp_path / "table1.csv")["newcomers"].unique().to_list() == [names]
    with pytest.raises(ValueError, match="nobody is neither a run nor a type"):
        reproduce("webber09", COLLECTION, tmp_path, quick=True, newcomers="nobody")


def test_a_missing_column_is_said(tmp_path: Path) -> None:
    groups = tmp_path / "groups.tsv"
    read = leadline.read(COLLECTION)
    groups.write_text("run\tgroup\n" + "".join(f"{name}\tg\n" for name in read.runs.names))
    with pytest.raises(ValueError, match="no column type"):
        reproduce("webber09", COLLECTION, tmp_path / "out", quick=True, groups=groups)
    with pytest.raises(ValueError, match="at least two"):
        reproduce("lipani16", COLLECTION, tmp_path / "out", quick=True, groups=groups)
    groups.write_text("run\torganisation\n")
    with pytest.raises(ValueError, match="needs the columns run and group"):
        reproduce("lipani16", COLLECTION, tmp_path / "out", quick=True, groups=groups)
