"""`leadline pool`: columns, what is said beside them, and pools that stay nested."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leadline
from leadline.io.datasets import COLLECTION
from tests.cli.program import Result, call
from tests.collections import Small, small_collections
from tests.tries import tries

COLUMNS = "topic,doc,stratum,inclusion,judged"
STRATEGIES = [
    "Depth(d=2)",
    "UniformSample(d=4, rate=0.5)",
    "TwoStrata(d=1, deep=4, rate=0.5)",
    "Stratified(strata=[(1, 1), (3, 0.6)])",
]


def good(result: Result) -> Result:
    assert result.code == 0, result.err
    return result


@pytest.fixture
def only_runs(tmp_path: Path) -> Path:
    shutil.copytree(COLLECTION / "runs", tmp_path / "sea" / "runs")
    return tmp_path / "sea"


def test_it_writes_the_promised_columns() -> None:
    result = good(call("pool", COLLECTION, "--strategy", "TwoStrata(d=5, deep=20, rate=0.25)"))
    assert result.out.splitlines()[0] == COLUMNS
    assert {(row["stratum"], row["inclusion"]) for row in result.rows()} == {
        ("0", "1.0"),
        ("1", "0.25"),
    }


def test_its_cost_and_what_each_run_adds_are_told_on_standard_error() -> None:
    result = good(call("pool", COLLECTION, "--strategy", "Depth(d=5)"))
    n = len(result.rows())
    assert f"Depth(d=5): {n} pairs of 20 topics from 16 runs" in result.err
    assert f"takes {n * 30 / 3600:.1f} hours at 30 seconds each" in result.err
    assert f"{n} of them are already judged; the others take 0.0 hours" in result.err
    assert "pairs per topic: 1: " in result.err
    assert "eastwick-title " in result.err
    slow = good(call("pool", COLLECTION, "--seconds-per-judgment", "60"))
    n = len(slow.rows())
    assert f"takes {n * 60 / 3600:.1f} hours at 60 seconds each" in slow.err


def test_a_folder_without_qrels_and_the_word_none_give_the_same(only_runs: Path) -> None:
    folder = good(call("pool", only_runs))
    assert "judged already" not in folder.err
    named = good(call("pool", "none", only_runs / "runs"))
    assert folder.out == named.out
    judged = good(call("pool", COLLECTION, "--all-runs")).out
    assert judged.replace(",true\n", ",false\n") == folder.out


def test_contributions_count_members_and_those_of_a_group_alone(tmp_path: Path) -> None:
    runs = tmp_path / "c" / "runs"
    runs.mkdir(parents=True)
    for name, docs in {"a1": "xy", "a2": "xz", "b": "yw"}.items():
        lines = [f"1 Q0 {doc} 1 {9 - rank} t\n" for rank, doc in enumerate(docs)]
        (runs / name).write_text("".join(lines))
    (tmp_path / "c" / "groups.tsv").write_text("run\tgroup\na1\tA\na2\tA\nb\tB\n")
    result = good(call("pool", tmp_path / "c", "--strategy", "Depth(d=2)"))
    table = {line.split()[0]: line.split()[1:] for line in result.err.splitlines()[-3:]}
    assert table == {"a1": ["2", "1"], "a2": ["2", "2"], "b": ["2", "1"]}


def test_unpooled_runs_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    groups = (COLLECTION / "groups.tsv").read_text().splitlines()
    pooled = [line.split("\t")[0] for line in groups if line.endswith("\tyes")]
    assert len(pooled) == 16
    result = good(call("pool", COLLECTION, "--strategy", "Depth(d=5)"))
    assert "8 of 24 runs are marked unpooled in groups.tsv and left out; --all-runs" in result.err
    runs = [COLLECTION / "runs" / f"{name}.gz" for name in pooled]
    assert good(call("pool", "none", *runs, "-s", "Depth(d=5)")).out == result.out.replace(
        ",true\n", ",false\n"
    )
    file = tmp_path / "per-run.csv"
    every = good(
        call("pool", COLLECTION, "--all-runs", "--strategy", "Depth(d=5)", "--per-run", file)
    )
    assert "marked unpooled" not in every.err
    assert len(every.rows()) > len(result.rows())
    assert len(file.read_text().splitlines()) == 25


def test_at_most_twenty_lines_are_printed() -> None:
    for options in ((), ("--all-runs",), ("-s", "Depth(d=3)", "--all-runs")):
        result = good(call("pool", COLLECTION, *options))
        assert len(result.err.splitlines()) <= 20
    assert "more runs: --per-run FILE writes all" in result.err


def test_only_the_topics_asked_for(tmp_path: Path) -> None:
    topics = tmp_path / "topics.txt"
    topics.write_text("3\n17\nzzz\n")
    result = good(call("pool", COLLECTION, "--topics", topics))
    everything = good(call("pool", COLLECTION)).rows()
    assert result.rows() == [row for row in everything if row["topic"] in ("3", "17")]
    assert "has no judgments for zzz of the topics asked for" in result.err
    topics.write_text("zzz\n")
    result = call("pool", COLLECTION, "--topics", topics)
    assert result.code == 2
    assert "has no judgments for the topics given" in result.err


def test_the_pool_can_be_used_by_evaluate(tmp_path: Path) -> None:
    file = tmp_path / "pool.csv"
    good(call("pool", COLLECTION, "--strategy", "Depth(d=5)", "-o", file))
    result = good(call("evaluate", COLLECTION, "-m", "RBP(p=0.8)", "--pool", file))
    assert any(row["upper"] != row["lower"] for row in result.rows())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--strategy", "Dept(d=3)"), "no pool is named Dept, did you mean Depth?"),
        (("--strategy", "Depth(d=0)"), "depth must be at least 1, not 0"),
        (("--strategy", "Depth"), "Depth needs d"),
        (("--seconds-per-judgment", "0"), "must be more than 0"),
        (("--topics", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_faults_are_named_with_exit_2(arguments: tuple[str, ...], message: str) -> None:
    result = call("pool", COLLECTION, *arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not result.out


def test_none_without_runs_is_a_fault() -> None:
    result = call("pool", "none")
    assert result.code == 2
    assert "name the runs after it" in result.err


def test_a_folder_of_runs_alone_is_a_fault_with_the_way_out() -> None:
    result = call("pool", COLLECTION / "runs")
    assert result.code == 2
    assert f"none {COLLECTION / 'runs'}" in result.err


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(tries(10), suppress_health_check=[HealthCheck.too_slow])
@given(small=small_collections(n_docs=7, n_runs=4), seed=st.integers(0, 99), data=st.data())
def test_a_pool_without_a_run_is_nested_and_the_order_of_runs_is_nothing(
    strategy: str, small: Small, seed: int, data: st.DataObject
) -> None:
    runs = {
        name: {
            topic: {doc: float(-rank) for rank, doc in enumerate(docs)}
            for topic, docs in lists.items()
            if docs
        }
        for name, lists in small.runs.items()
    }
    runs = {name: lists for name, lists in runs.items() if lists}
    if not runs:
        return

    def pool(names: list[str]) -> set[tuple[str, str]]:
        chosen = {name: runs[name] for name in names}
        frame = leadline.pool(None, chosen, strategy, seed=seed)
        return set(frame.select("topic", "doc").iter_rows())

    names = list(runs)
    full = pool(names)
    assert pool(data.draw(st.permutations(names))) == full
    for gone in names:
        rest = [name for name in names if name != gone]
        if rest:
            assert pool(rest) <= full


def test_what_is_judged_is_marked_left_out_or_ignored(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("1 0 a 0\n2 0 c 1\n")
    run.write_text("1 Q0 a 1 5 x\n1 Q0 b 2 4 x\n2 Q0 c 1 5 x\n")
    asked = ("pool", qrels, run, "--strategy", "Depth(d=2)")

    def marked(*more: str) -> list[tuple[str, str]]:
        return [(row["doc"], row["judged"]) for row in good(call(*asked, *more)).rows()]

    assert marked() == [("a", "true"), ("b", "false"), ("c", "true")]
    assert "2 of them are already judged" in call(*asked).err
    assert marked("--unjudged") == [("b", "false")]
    assert marked("--no-use-judgments") == [("a", "false"), ("b", "false"), ("c", "false")]
