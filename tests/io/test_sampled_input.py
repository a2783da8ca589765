"""Qrels and pools that tell how documents were drawn: read right, or refused with a reason."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import leadline
from tests.cli.program import Result, call

RUN = ["1 Q0 a 1 5 t", "1 Q0 b 2 4 t", "1 Q0 c 3 3 t", "1 Q0 d 4 2 t"]
STRATIFIED = ["1 0 a 1 1", "1 0 b 2 -1", "1 0 c 2 1", "1 0 d 2 0", "1 0 e 2 -1"]
SAMPLED = ["1 0 a 1 1.0", "1 0 b -1 0.5", "1 0 c 1 0.5", "1 0 d 0 0.5", "1 0 e -1 0.5"]
NAMES = ("infAP", "xinfAP", "infNDCG@3", "statAP", "HorvitzThompson(of=NumRel)")


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def evaluate(folder: Path, lines: list[str], *options: object) -> Result:
    run = write(folder / "x.run", RUN)
    return call("evaluate", write(folder / "qrels", lines), run, *options)


def measure_options(names: tuple[str, ...]) -> list[str]:
    return [part for name in names for part in ("-m", name)]


def values(result: Result) -> dict[str, float]:
    assert result.code == 0, result.err
    return {row["measure"]: float(row["value"]) for row in result.rows()}


def check_refused(result: Result, *says: str) -> None:
    assert result.code == 2
    assert result.out == ""
    assert "Traceback" not in result.err
    for each in says:
        assert each in result.err


def test_sample_evals_qrels_are_recognised_and_that_is_said(tmp_path: Path) -> None:
    result = evaluate(tmp_path, STRATIFIED, *measure_options(NAMES))
    assert "strata" in result.err
    found = values(result)
    # Stratum 2 has four documents, two of them judged, one relevant: 1 + 4/2 * 1.
    assert found["HorvitzThompson(of=NumRel)"] == 3
    # At rank 3 stand a (1 of 1) and b (nothing of stratum 2 judged: 1/3) above.
    above = (1 + 1e-5) / (1 + 3e-5) + 1 / 3
    assert found["xinfAP"] == pytest.approx((1 + 2 * (1 + above) / 3) / 3)
    lint = call("lint", tmp_path / "qrels")
    assert lint.code == 0
    assert "strata" in lint.out


def test_equal_probabilities_form_a_stratum(tmp_path: Path) -> None:
    stratified = values(evaluate(tmp_path, STRATIFIED, *measure_options(NAMES)))
    sampled = values(evaluate(tmp_path, SAMPLED, *measure_options(NAMES)))
    assert sampled == pytest.approx(stratified)


def test_white_space_and_order_do_not_matter(tmp_path: Path) -> None:
    plain = values(evaluate(tmp_path, STRATIFIED, "-m", "xinfAP"))
    messy = [line.replace(" ", "\t  ") + " " for line in STRATIFIED[::-1]]
    assert values(evaluate(tmp_path, messy, "-m", "xinfAP")) == plain


def test_read_keeps_strata(tmp_path: Path) -> None:
    run, qrels = write(tmp_path / "x.run", RUN), write(tmp_path / "qrels", STRATIFIED)
    judgments = leadline.read(qrels, run).judgments
    pair = judgments.pairs.find(["1"] * 5, list("abcde"))
    assert judgments.stratum is not None
    assert judgments.stratum[pair].tolist() == [1, 2, 2, 2, 2]
    assert judgments.inclusion is None
    assert judgments.judged[pair].tolist() == [True, False, True, True, False]


def test_all_fifth_fields_of_one_are_probabilities(tmp_path: Path) -> None:
    lines = ["1 0 a 2 1", "1 0 c 0 1"]
    found = values(
        evaluate(
            tmp_path, lines, "-m", "HorvitzThompson(of=NumRel)", "-m", "HorvitzThompson(of=DCG@3)"
        )
    )
    assert found == {"HorvitzThompson(of=NumRel)": 1.0, "HorvitzThompson(of=DCG@3)": 2.0}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1 0 f -1 1", ("6: the stratum must be", '"-1"')),
        ("1 0 f x 1", ("6: the stratum must be", '"x"')),
        ("1 0 f 40000 1", ("6: the stratum must be", '"40000"')),
        ("1 0 f 2 one", ("6: the grade must be", '"one"')),
        ("1 0 f 2", ("6: expected 5 fields, found 4",)),
        ("1 0 a 2 1", ("6: doc a of topic 1 has another inclusion probability or stratum",)),
        ("1 0 a 1 2", ("6: doc a of topic 1 has grade 2 here and 1 on line 1",)),
    ],
)
def test_a_faulty_line_of_stratified_qrels_is_named(
    tmp_path: Path, line: str, says: tuple[str, ...]
) -> None:
    result = evaluate(tmp_path, [*STRATIFIED, line], "-m", "xinfAP")
    check_refused(result, *says)
    skip_bad_lines = evaluate(tmp_path, [*STRATIFIED, line], "-m", "xinfAP", "--skip-bad-lines")
    expected = values(evaluate(tmp_path, STRATIFIED, "-m", "xinfAP"))
    assert values(skip_bad_lines) == expected


@pytest.mark.parametrize("share", ["0", "0.0", "-0.5", "1.5", "nan", "inf", ""])
def test_a_probability_that_is_none_is_refused_wherever_it_stands(
    tmp_path: Path, share: str
) -> None:
    if share:
        result = evaluate(tmp_path, [*SAMPLED, f"1 0 f 1 {share}"], "-m", "statAP")
        check_refused(result, "qrels:6: ", "inclusion")
    table = ["topic,doc,grade,inclusion", "1,a,1,0.5", f"1,b,0,{share}"]
    check_refused(evaluate(tmp_path, table, "-m", "statAP"), "qrels:3: ", "inclusion")
    pool = write(
        tmp_path / "pool.csv", ["topic,doc,stratum,inclusion", "1,a,0,0.5", f"1,b,0,{share}"]
    )
    result = evaluate(tmp_path, ["1 0 a 1", "1 0 b 0"], "-m", "statAP", "--pool", pool)
    check_refused(result, "pool.csv:3: ", "inclusion")


@pytest.mark.parametrize("stratum", ["-1", "1.5", "x", "", "99999"])
def test_a_stratum_that_is_none_is_refused(tmp_path: Path, stratum: str) -> None:
    table = ["topic,doc,grade,stratum", "1,a,1,0", f"1,b,-1,{stratum}"]
    check_refused(evaluate(tmp_path, table, "-m", "xinfAP"), "qrels:3: ", "stratum")
    pool = write(tmp_path / "pool.csv", ["topic,doc,stratum", "1,a,0", f"1,b,{stratum}"])
    result = evaluate(tmp_path, ["1 0 a 1", "1 0 b 0"], "-m", "xinfAP", "--pool", pool)
    check_refused(result, "pool.csv:3: ", "stratum")


def test_drawn_must_be_true_or_false(tmp_path: Path) -> None:
    pool = write(tmp_path / "pool.csv", ["topic,doc,drawn", "1,a,true", "1,b,maybe"])
    result = evaluate(tmp_path, ["1 0 a 1", "1 0 b 0"], "-m", "P@1", "--pool", pool)
    check_refused(result, "pool.csv:3: ", "drawn must be true or false", "maybe")


def test_tables_from_python_are_checked_too() -> None:
    run = {"1": {"a": 2.0, "b": 1.0}}
    good = {"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0]}
    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame({**good, "inclusion": [0.5, 1.0]})
        assert leadline.evaluate(table, run, "HorvitzThompson(of=NumRel)")["value"].to_list() == [
            2.0
        ]
        for bad in ([0.5, 0.0], [0.5, 2.0], [0.5, -1.0], [0.5, float("nan")]):
            with pytest.raises(ValueError, match=r"row 2: the inclusion probability"):
                leadline.evaluate(frame({**good, "inclusion": bad}), run, "statAP")
        with pytest.raises(ValueError, match=r"row 2: the stratum"):
            leadline.evaluate(frame({**good, "stratum": [0, -1]}), run, "xinfAP")


@pytest.mark.parametrize("name", ["infAP", "xinfAP", "infNDCG", "infNDCG@10"])
def test_measures_that_count_what_was_not_drawn_want_to_know_it(tmp_path: Path, name: str) -> None:
    lines = ["1 0 a 1 1.0", "1 0 c 1 0.5", "1 0 d 0 0.5"]
    check_refused(evaluate(tmp_path, lines, "-m", name), "not drawn", "--undrawn", "statAP")
    assert evaluate(tmp_path, lines, "-m", "statAP", "-m", "HorvitzThompson(of=P@2)").code == 0


def test_probabilities_of_their_own_make_no_strata(tmp_path: Path) -> None:
    lines = [f"1 0 d{n} {-1 if n % 2 else 1} {(n + 1) / 500}" for n in range(400)]
    check_refused(evaluate(tmp_path, [*SAMPLED, *lines], "-m", "xinfAP"), "401 strata", "statAP")


def test_a_pool_without_what_was_left_out_is_told_from_one_with_it(tmp_path: Path) -> None:
    run = write(tmp_path / "x.run", [f"1 Q0 d{n} 0 {-n} t" for n in range(60)])
    qrels = write(tmp_path / "qrels", [f"1 0 d{n} {n % 3 == 0:d}" for n in range(60)])
    made, whole = tmp_path / "pool.csv", tmp_path / "whole.csv"
    strategy = ("--strategy", "TwoStrata(d=10, deep=50, rate=0.3)", "--seed", 4)
    assert call("pool", qrels, run, *strategy, "-o", made).code == 0
    assert call("pool", qrels, run, *strategy, "--undrawn", "-o", whole).code == 0
    few, all_ = pl.read_csv(made), pl.read_csv(whole)
    assert few.columns == ["topic", "doc", "stratum", "inclusion", "judged"]
    assert all_.columns == [*few.columns, "drawn"]
    assert len(all_) == 50
    assert all_.filter("drawn").drop("drawn").equals(few)
    check_refused(call("evaluate", qrels, run, "-m", "xinfAP", "--pool", made), "--undrawn")
    options = measure_options(("statAP", "HorvitzThompson(of=NumRel)"))
    left = call("evaluate", qrels, run, *options, "--pool", made)
    right = call("evaluate", qrels, run, *options, "--pool", whole)
    assert left.out == right.out
    found = values(call("evaluate", qrels, run, "-m", "xinfAP", "--pool", whole))["xinfAP"]
    members = leadline.pool(qrels, run, strategy[1], seed=4, undrawn=True)
    assert members.equals(leadline.pool(qrels, run, strategy[1], seed=4, undrawn=True))
    frame = leadline.evaluate(qrels, run, "xinfAP", pool=members)
    assert frame["value"].to_list() == [found]


def test_the_pool_in_memory_and_on_disk_give_the_same_estimates() -> None:
    from leadline.api.pool import pool
    from leadline.data.lists import Lists

    run = {"1": {f"d{n}": float(-n) for n in range(60)}}
    qrels = {"1": {f"d{n}": int(n % 3 == 0) for n in range(60)}}
    made = pool(qrels, run, "Stratified(strata=[(5, 1), (45, 0.3)])", seed=2, undrawn=True)
    lists = Lists.of(made.runs, made.pool.restrict(made.judgments))
    for name in NAMES:
        ours = leadline.parse_measure(name).score(lists)
        frame = leadline.evaluate(qrels, run, name, pool=made)
        assert frame["value"].to_list() == pytest.approx(ours.mean().tolist(), abs=1e-12)
        assert frame["standard_error"].to_list() == pytest.approx(ours.mean_error().tolist())
        assert np.isnan(ours.lower).all()


def test_infap_of_strata_with_different_rates_is_doubted(tmp_path: Path) -> None:
    lines = [f"1 0 d{n} {2 if n < 10 else 1} {n % 2 if n < 15 else -1}" for n in range(50)]
    run = write(tmp_path / "x.run", [f"1 Q0 d{n} 0 {-n} t" for n in range(60)])
    result = call("evaluate", write(tmp_path / "qrels", lines), run, "-m", "infAP")
    assert "infAP: takes the pool to be judged at one rate" in result.err
    assert "12% to 100%: use xinfAP" in result.err
    other = call("evaluate", tmp_path / "qrels", run, "-m", "xinfAP")
    assert "one rate" not in other.err


def test_a_run_without_its_tag_is_not_taken_for_strata(tmp_path: Path) -> None:
    lines = [f"1 Q0 d{n} {n} {90 - n}" for n in range(1, 9)]
    told = "read as topic Q0 doc rank score, as a run"
    check_refused(evaluate(tmp_path, lines, "-m", "P@1"), "qrels: ", told)
