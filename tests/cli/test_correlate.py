"""`leadline correlate`: what it reads, what it writes, what it refuses."""

from pathlib import Path

import pytest
from scipy import stats

import leadline
from leadline.io.datasets import COLLECTION
from tests.cli.program import Result, call


def good(result: Result) -> Result:
    assert result.code == 0, result.err
    return result


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("scores") / "scores.csv"
    good(call("evaluate", COLLECTION, "-m", "AP", "-m", "P@10", "--per-topic", "-o", file))
    return file


def statistics(result: Result) -> dict[str, float]:
    return {row["statistic"]: float(row["value"]) for row in good(result).rows()}


def test_two_measures_of_one_file(scores: Path) -> None:
    result = call("correlate", scores, scores, "-m", "AP", "-m", "P@10")
    assert result.out.splitlines()[0] == "statistic,value"
    found = statistics(result)
    frame = leadline.evaluate(COLLECTION, None, ["AP", "P@10"])
    # Means that are equal but for the order in which they were added up are ties.
    rounded = frame.with_columns(frame["value"].round(12))
    ap, p10 = (rounded.filter(measure=name)["value"].to_list() for name in ("AP", "P@10"))
    assert frame["value"].n_unique() > rounded["value"].n_unique()
    assert found["kendall_tau_b"] == pytest.approx(stats.kendalltau(ap, p10).statistic)
    assert found["spearman"] == pytest.approx(stats.spearmanr(ap, p10).statistic)
    assert found["runs"] == 24


def test_scores_by_topic_are_compared_by_their_strength(scores: Path) -> None:
    found = statistics(call("correlate", scores, scores, "-m", "AP", "-m", "P@10"))
    frame = leadline.evaluate(COLLECTION, None, ["AP", "P@10"], per_topic=True)
    frame = frame.filter(frame["topic"] != "all")
    tables = [
        frame.filter(measure=name)
        .pivot("topic", index="run", values="value")
        .drop("run")
        .to_numpy()
        for name in ("AP", "P@10")
    ]
    n, pairs, total, weighted = 24, 0, 0.0, 0.0
    significant = [0, 0]
    for i in range(n):
        for j in range(i + 1, n):
            sigma = []
            for at, table in enumerate(tables):
                difference = table[i] - table[j]
                mean = difference.mean()
                p = stats.ttest_rel(table[i], table[j]).pvalue / 2
                sigma.append(0.0 if abs(mean) < 1e-15 else (0.5 - p if mean > 0 else p - 0.5))
                significant[at] += 2 * p < 0.05
            total += abs(sigma[1] - sigma[0])
            weighted += abs(sigma[0]) * abs(sigma[1] - sigma[0])
            pairs += 1
    assert found["dist"] == pytest.approx(total)
    assert found["dist_sigma"] == pytest.approx(weighted)
    assert found["discrimination_a"] == significant[0] / pairs
    assert found["discrimination_b"] == significant[1] / pairs


def test_the_same_scores_agree(scores: Path) -> None:
    found = statistics(call("correlate", scores, scores, "-m", "map"))
    assert found["kendall_tau_a"] == found["tau_ap"] == found["rbo"] == 1.0
    assert found["leader_drop"] == found["swaps"] == 0


def test_files_of_other_forms_say_the_same(scores: Path, tmp_path: Path) -> None:
    wanted = statistics(call("correlate", scores, scores, "-m", "AP", "-m", "P@10"))
    assert {"kendall_distance_new_topics", "dist_new_topics"} < set(wanted)
    by_topic = ("dist", "disc", "kendall_distance_new")
    wanted = {name: wanted[name] for name in wanted if not name.startswith(by_topic)}
    frame = leadline.evaluate(COLLECTION, None, ["AP", "P@10"])
    frame.filter(measure="AP").select("run", score="value").write_csv(
        tmp_path / "a.tsv", separator="\t"
    )
    frame.filter(measure="P@10").write_json(tmp_path / "b.json")
    assert statistics(call("correlate", tmp_path / "a.tsv", tmp_path / "b.json")) == wanted
    per_topic = leadline.evaluate(COLLECTION, None, "P@10", per_topic=True)
    per_topic = per_topic.filter(per_topic["topic"] != "all")
    ap = frame.filter(measure="AP")
    again = leadline.correlate(dict(ap.select("run", "value").iter_rows()), per_topic)
    assert again["value"].to_list() == pytest.approx(list(wanted.values()))


def test_runs_of_one_table_only_are_left_out_and_named() -> None:
    from leadline.api.correlate import correlate

    result = correlate({"a": 1, "b": 2, "c": 3}, {"c": 3, "b": 2, "z": 0})
    assert result.statistics["runs"] == 2
    assert [str(problem) for problem in result.notices.problems] == [
        "scores: 1 runs that the other table does not score are left out: a",
        "scores: 1 runs that the other table does not score are left out: z",
    ]


def test_parameters_change_what_they_should(scores: Path) -> None:
    plain = statistics(call("correlate", scores, scores, "-m", "AP", "-m", "P@10"))
    other = statistics(
        call("correlate", scores, scores, "-m", "AP", "-m", "P@10", "--p", "0.5", "--k", "3")
    )
    changed = {name for name in plain if plain[name] != other[name]}
    assert changed <= {"rbo", "rbo_a", "rbo_b", "largest_drop", "swaps", "kept"}
    assert "rbo" in changed


def test_a_table_for_the_terminal(scores: Path) -> None:
    text = good(call("correlate", scores, scores, "-m", "AP", "--format", "table")).out
    assert "kendall_tau_b" in text
    assert "1.0000" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "holds 2 measures, choose one with -m: AP, P@10"),
        (("-m", "nDCG@10"), "has no measure nDCG@10, it has: AP, P@10"),
        (("-m", "AP", "-e", "LowerBound"), "has no estimators, so no LowerBound"),
        (("-m", "AP", "-m", "AP", "-m", "AP"), "one for each, not 3"),
        (("-m", "AP", "--p", "1"), "p must lie between 0 and 1"),
        (("-m", "AP", "--k", "0"), "must be at least 1"),
    ],
)
def test_faults_are_named_with_exit_2(
    scores: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = call("correlate", scores, scores, *arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not result.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,topic\na,1\n", "expected columns run and value, found run, topic"),
        ("run,value\na,1\na,2\n", "has two scores of a for topic all"),
        ("run,value\na,high\n", "the score must be a number, found 'high'"),
        ("run,value\na,1\n", "takes two runs that both tables score, found 1"),
        ("", ""),
        ("[{]", "is no JSON"),
    ],
)
def test_faulty_tables_are_refused(scores: Path, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text)
    result = call("correlate", file, file)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert call("correlate", tmp_path / "absent.csv", file).code == 2
