"""What trec_eval's options do has an equivalent, and its names mean what it means by them."""

from itertools import product
from pathlib import Path

import pytest

import leadline
from leadline.api.evaluate import Evaluation
from leadline.io.problems import InputError
from leadline.measures.measure import parse_measure, parse_measures

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 0, "d": 0}}
RUN = {
    "1": {"a": 9.0, "x": 8.0, "b": 7.0, "c": 6.0},
    "2": {"d": 9.0, "y": 8.0},
}


def lines(result: Evaluation) -> list[list[str]]:
    return [line.split() for line in result.encoded("trec_eval").decode().splitlines()]


def test_an_undefined_topic_is_left_out_or_scores_zero() -> None:
    skipped = leadline.evaluate(QRELS, RUN, ["map", "bpref"], per_topic=True)
    zero = leadline.evaluate(QRELS, RUN, ["map", "bpref"], per_topic=True, undefined="zero")
    assert ["map", "2", "0.0000"] not in lines(skipped)
    assert ["map", "2", "0.0000"] in lines(zero)
    ap = zero.scores["AP"]
    assert ap.mean()[0] == ap.value[0, 0] / 2
    assert (ap.lower <= ap.value).all()
    assert (ap.value <= ap.upper).all()
    with pytest.raises(ValueError, match="undefined"):
        leadline.evaluate(QRELS, RUN, "map", undefined="none")


def test_a_missing_topic_that_is_skipped_stays_undefined() -> None:
    one = {"1": RUN["1"]}
    result = leadline.evaluate(QRELS, one, "map", missing_topics="skip", undefined="zero")
    assert result.scores["AP"].mean()[0] == result.scores["AP"].value[0, 0]


@pytest.mark.parametrize("workers", [1, 2])
def test_depth_cuts_every_list(workers: int, tmp_path: Path) -> None:
    cut = {topic: dict(list(docs.items())[:2]) for topic, docs in RUN.items()}
    names = ["num_ret", "map", "P.5", "bpref", "RBP(p=0.8)"]
    expected = leadline.evaluate(QRELS, {"one": cut, "two": cut}, names, per_topic=True)
    paths = []
    for name in ("one", "two"):
        path = tmp_path / name
        rows = [f"{t} Q0 {d} 1 {s} x\n" for t, docs in RUN.items() for d, s in docs.items()]
        path.write_text("".join(rows))
        paths.append(path)
    result = leadline.evaluate(QRELS, paths, names, per_topic=True, depth=2, workers=workers)
    assert result.frame.equals(expected.frame)
    read = leadline.read(QRELS, paths)
    assert leadline.evaluate(read, measures=names, per_topic=True, depth=2).frame.equals(
        expected.frame
    )
    with pytest.raises(ValueError, match="at least 1"):
        leadline.evaluate(QRELS, paths, depth=0)


def test_sets_take_the_parameters_of_their_members() -> None:
    graded = {str(each) for each in parse_measures("all_trec(rel=2)")}
    assert {"AP(rel=2)", "P(rel=2)@5", "NumRel(rel=2)", "nDCG", "nDCG@10", "NumRet"} <= graded
    condensed = {str(each) for each in parse_measures("official(judged_only=true)")}
    assert {"AP(judged_only=true)", "NumRet(judged_only=true)"} <= condensed
    result = leadline.evaluate(QRELS, RUN, "official(judged_only=true, rel=2)", undefined="zero")
    found = {name: value for name, _, value in lines(result)}
    assert (found["num_ret"], found["num_rel"], found["P_5"]) == ("4", "1", "0.1000")
    for wrong, message in (
        ("official(least=2)", "no measure of official has a parameter least"),
        ("official(rel)", "expected NAME=VALUE"),
        ("official(rel=0)", "rel, the least relevant grade"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_measures(wrong)


def test_names_without_a_depth_mean_what_trec_eval_means() -> None:
    depths = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
    assert [str(each) for each in parse_measures("P")] == [f"P@{depth}" for depth in depths]
    assert [str(each) for each in parse_measures("recall")] == [f"Recall@{k}" for k in depths]
    assert [str(each) for each in parse_measures("success")] == [f"Success@{k}" for k in (1, 5, 10)]
    assert [str(each) for each in parse_measures("Recall")] == ["Recall"]


def test_fields_behind_the_tag_are_ignored(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("1\tQ0 a 1 9 tag more junk\n1 Q0 b 2 8 tag\n1 Q0 c 3 7 tag x\n")
    plain = {"1": {"a": 9.0, "b": 8.0, "c": 7.0}}
    asked = ["map", "num_ret"]
    result = leadline.evaluate(QRELS, run, asked)
    assert lines(result)[1:] == lines(leadline.evaluate(QRELS, plain, asked))[1:]
    assert lines(result)[0] == ["runid", "all", "tag"]
    # A docno with a blank in it moves the score behind the tag's place.
    run.write_text("1 Q0 a 1 9 tag\n1 Q0 b 12 2 8.5 tag\n")
    with pytest.raises(InputError, match="expected 6 fields, found 7"):
        leadline.evaluate(QRELS, run, asked)


def test_two_runs_with_one_tag_are_told_apart_by_their_names(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("1 Q0 a 1 9 tag\n")
    result = leadline.evaluate(QRELS, [tmp_path / "one", tmp_path / "two"], "map")
    assert [line[2] for line in lines(result) if line[0] == "runid"] == ["one", "two"]


def test_utility_of_all_four_kinds_of_documents() -> None:
    measure = parse_measure("Utility(a=3, b=-1, c=-2, d=0.5, docs=7)")
    assert lines(leadline.evaluate(QRELS, RUN, "utility.2,-1,0,0"))[1][0] == "utility_2,-1,0,0"
    # Listed: relevant, unjudged, non-relevant; beyond: relevant; three documents nobody has seen.
    worth = []
    for listed, *unseen in product((0, 1), repeat=4):
        relevant = 1 + listed
        missed = 1 + sum(unseen)
        worth.append(3 * relevant - (3 - relevant) - 2 * missed + 0.5 * (4 - missed))
    assert measure.sketch("1 ? 0", elsewhere="1") == (
        f"{worth[0]:.4f} [{min(worth):.4f}, {max(worth):.4f}]"
    )
    with pytest.raises(ValueError, match="need docs"):
        parse_measure("utility.1,-1,0,1")
