"""Anytime-valid intervals in estimate, compare, report and gate, from a pool in batches."""

import io
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import leadline
from leadline.io.datasets import COLLECTION
from leadline.views.pair_tables import led_by

MEASURE = "RBP(p=0.8)"
SEA = str(COLLECTION)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three of five batches, written and read again before each."""
    path = tmp_path_factory.mktemp("anytime") / "pool.csv"
    strategy = f"WeightedSample(n=200, measure='{MEASURE}', batches=5)"
    for batch in range(3):
        drawn = leadline.pool(
            SEA,
            strategy=strategy,
            seed=3,
            previous=path if batch else None,
            undrawn=True,
            use_judgments=bool(batch),
        )
        drawn.write(path)
    return path


def truth() -> dict[str, float]:
    frame = leadline.evaluate(SEA, measures=MEASURE).frame
    return dict(frame.select("run", "value").iter_rows())


def test_a_pool_comes_back_with_its_probabilities(pool: Path) -> None:
    strategy = f"WeightedSample(n=200, measure='{MEASURE}', batches=5)"
    before = None
    for _ in range(3):
        made = leadline.pool(
            SEA, strategy=strategy, seed=3, previous=before, use_judgments=before is not None
        )
        before = leadline.pool(
            SEA,
            strategy=strategy,
            seed=3,
            previous=before,
            undrawn=True,
            use_judgments=before is not None,
        ).frame
    assert made.frame["doc"].to_list() == pl.read_csv(pool).filter("drawn")["doc"].to_list()


def test_few_judgments_have_an_anytime_valid_interval(pool: Path) -> None:
    found = leadline.estimate(SEA, measures=MEASURE, estimators="ModelAssisted(seed=3)", pool=pool)
    value = truth()
    for row in found.frame.iter_rows(named=True):
        assert row["pred_lower"] is None
        assert row["lower"] <= row["anytime_lower"] <= value[row["run"]] <= row["anytime_upper"]
        assert row["anytime_upper"] <= row["upper"]
    said = " ".join(found.notices.lines())
    assert "it holds for these topics at all looks together" in said
    assert "holds at one look" not in said


def test_differences_hold_the_truth_and_are_narrower_than_two_scores(pool: Path) -> None:
    found = leadline.estimate(
        SEA, measures=MEASURE, estimators="ModelAssisted(seed=3, anytime=true)", pool=pool
    )
    width = {
        row["run"]: row["anytime_upper"] - row["anytime_lower"]
        for row in found.frame.iter_rows(named=True)
    }
    value, rows = truth(), list(found.differences().frame.iter_rows(named=True))
    held, narrower = [], []
    for row in rows:
        a, b = row["run_a"], row["run_b"]
        held.append(row["anytime_lower"] <= value[a] - value[b] <= row["anytime_upper"])
        narrower.append(row["anytime_upper"] - row["anytime_lower"] < width[a] + width[b])
    assert sum(held) / len(rows) >= 0.95
    assert sum(narrower) / len(rows) > 0.9


def test_the_certificate_of_scores_is_verified(pool: Path) -> None:
    found = leadline.estimate(
        SEA, measures=MEASURE, estimators="ModelAssisted(seed=3, anytime=true)", pool=pool
    )
    made = found.certificate()
    verified = leadline.verify_certificate(made)
    assert verified.valid, verified.problems
    assert any("is not excluded" in line for line in verified.lines)
    made["seed"] = 4
    assert not leadline.verify_certificate(made).valid


def test_a_batch_counts_only_when_all_of_it_is_judged(pool: Path, tmp_path: Path) -> None:
    drawn = pl.read_csv(pool).filter("drawn")
    last = drawn.filter(pl.col("batch") == 3).row(0, named=True)
    qrels = leadline.read(SEA).judgments
    rows = []
    for pair in qrels.judged.nonzero()[0].tolist():
        topic, doc = qrels.pairs.name(pair)
        if (topic, doc) != (str(last["topic"]), last["doc"]):
            rows.append(f"{topic} 0 {doc} {int(qrels.grade[pair])}\n")
    (tmp_path / "qrels.txt").write_text("".join(rows))
    runs = str(COLLECTION / "runs")
    found = leadline.estimate(
        str(tmp_path / "qrels.txt"), runs, MEASURE, "ModelAssisted(anytime=true, seed=3)", pool=pool
    )
    n = int((drawn["batch"] < 3).sum())
    assert any(f"from the {n} judgments of complete batches" in x for x in found.notices.lines())


def test_compare_and_report_show_the_same_interval(pool: Path) -> None:
    estimated = leadline.estimate(
        SEA, measures=MEASURE, estimators="ModelAssisted(seed=3, anytime=true)", pool=pool
    ).differences()
    compared = leadline.compare(SEA, measures=MEASURE, pool=pool).frame
    both = compared.join(estimated.frame, on=["run_a", "run_b"], suffix="_estimated")
    assert len(both) == len(compared)
    wide = both.select(
        (pl.max_horizontal("anytime_lower_estimated", "lower") - pl.col("anytime_lower")).abs(),
        (pl.min_horizontal("anytime_upper_estimated", "upper") - pl.col("anytime_upper")).abs(),
    )
    assert max(column.max() for column in wide) < 1e-9  # type: ignore[type-var, operator]
    page = leadline.report(SEA, measures=MEASURE, pool=pool)
    assert "Anytime-valid intervals" in page.page
    assert "(95%, anytime-valid)" in page.page
    assert page.page.split('id="anytime"')[1].split("</section>")[0].count('class="iv"') == 24


def test_compare_reports_its_progress_over_all_differences(pool: Path) -> None:
    steps: list[tuple[int, int]] = []
    compared = leadline.compare(
        SEA, measures=MEASURE, pool=pool, progress=lambda done, total: steps.append((done, total))
    )
    n = len(compared.frame)
    assert (n, n) in steps
    assert len({done for done, total in steps if total == n}) > 1


def test_the_table_of_pairs_shows_the_interval_seen_from_the_best_run(pool: Path) -> None:
    compared = leadline.compare(SEA, measures=MEASURE, pool=pool)
    pairs = next(iter(compared.pairs.values()))
    best = pairs.scores.runs[int(pairs.order[0])]
    rows = led_by(compared.frame, best)
    turned = compared.frame.filter(pl.col("run_b") == best)
    assert len(turned)
    for row in turned.iter_rows(named=True):
        shown = rows.filter(pl.col("run_b") == row["run_a"]).row(0, named=True)
        assert shown["anytime_lower"] == -row["anytime_upper"]
        assert shown["anytime_upper"] == -row["anytime_lower"]
    text = io.StringIO()
    Console(file=text, width=200).print(compared.table())
    row = rows.row(0, named=True)
    assert "anytime-valid 95%" in text.getvalue()
    assert f"[{row['anytime_lower']:+.4f}, {row['anytime_upper']:+.4f}]" in text.getvalue()


def test_without_the_pairs_that_were_not_drawn_it_is_refused(pool: Path) -> None:
    drawn = pl.read_csv(pool, schema_overrides={"topic": pl.String}).filter("drawn")
    with pytest.raises(ValueError, match="--undrawn"):
        leadline.estimate(
            SEA, measures=MEASURE, estimators="ModelAssisted(anytime=true)", pool=drawn
        )


def test_a_broken_record_is_named(pool: Path) -> None:
    frame = pl.read_csv(pool, schema_overrides={"topic": pl.String})
    frame = frame.with_columns(probabilities=pl.lit("0.1 x"))
    with pytest.raises(ValueError, match="not one number for each batch"):
        leadline.estimate(SEA, measures=MEASURE, estimators="ModelAssisted", pool=frame)


def test_from_350_judgments_on_the_other_interval_is_for_one_look() -> None:
    strategy = f"WeightedSample(n=500, measure='{MEASURE}', batches=2)"
    first = leadline.pool(SEA, strategy=strategy, all_runs=True, undrawn=True, use_judgments=False)
    both = leadline.pool(SEA, strategy=strategy, all_runs=True, previous=first.frame, undrawn=True)
    found = leadline.estimate(SEA, measures=MEASURE, estimators="ModelAssisted", pool=both.frame)
    assert "anytime_lower" not in found.frame.columns
    assert any("holds at one look" in line for line in found.notices.lines())


def test_the_gate_says_what_batches_show_and_what_to_judge_next(tmp_path: Path) -> None:
    names = {"baseline": "holmsand-random", "new": "corran-lsa100-desc"}
    strategy = (
        f"WeightedSample(n=400, measure='{MEASURE}', "
        f"aim='{names['new']},{names['baseline']}', batches=4)"
    )
    first = leadline.pool(SEA, strategy=strategy, all_runs=True, undrawn=True, use_judgments=False)
    second = leadline.pool(
        SEA, strategy=strategy, all_runs=True, previous=first.frame, undrawn=True
    )
    found = leadline.gate(SEA, measures=MEASURE, pool=second.frame, **names)
    row = found.frame.row(0, named=True)
    value = truth()
    apart = value[names["new"]] - value[names["baseline"]]
    assert row["anytime_lower"] <= apart <= row["anytime_upper"]
    assert row["on_these_topics"] == "not_worse"
    assert any("draw the next batch" in line for line in found.notices.lines())
    # With only the first batch judged, the pairs of the second are to be judged.
    drawn = set(first.frame.filter("drawn").select("topic", "doc").iter_rows())
    rows = []
    qrels = leadline.read(SEA).judgments
    for pair in qrels.judged.nonzero()[0].tolist():
        topic, doc = qrels.pairs.name(pair)
        if (topic, doc) in drawn:
            rows.append(f"{topic} 0 {doc} {int(qrels.grade[pair])}\n")
    (tmp_path / "qrels.txt").write_text("".join(rows))
    runs = str(COLLECTION / "runs")
    early = leadline.gate(
        str(tmp_path / "qrels.txt"), runs, measures=MEASURE, pool=second.frame, **names
    )
    new = set(second.frame.filter("drawn").select("topic", "doc").iter_rows()) - drawn
    asked = set(early.documents.select("topic", "doc").iter_rows())
    assert asked <= new
    assert early.frame["anytime_lower"][0] < row["anytime_lower"]


def test_a_gate_without_a_pool_has_no_new_columns() -> None:
    found = leadline.gate(
        SEA, measures=MEASURE, baseline="holmsand-random", new="corran-lsa100-desc"
    )
    assert "anytime_lower" not in found.frame.columns
    with pytest.raises(ValueError, match="--undrawn"):
        leadline.gate(
            SEA,
            measures=MEASURE,
            baseline="holmsand-random",
            new="corran-lsa100-desc",
            pool=leadline.pool(SEA, strategy="Depth(d=5)", all_runs=True).frame,
        )
