"""Scores as trec_eval prints them."""

import leadline

QRELS = {"1": {"a": 1}, "2": {"b": 0}}
RUNS = {"one": {"1": {"a": 2.0}, "2": {"b": 1.0}}, "two": {"1": {"x": 1.0}, "2": {"b": 1.0}}}


def lines(per_topic: bool) -> list[list[str]]:
    names = ["num_q", "num_ret", "map", "gm_map", "RBP(p=0.5)"]
    found = leadline.evaluate(QRELS, RUNS, names, per_topic=per_topic)
    text = found.encoded("trec_eval").decode()
    assert all(line[22] == "\t" for line in text.splitlines())
    return [line.split() for line in text.splitlines()]


def test_each_run_begins_with_its_name_and_counts_have_no_fraction() -> None:
    assert lines(False) == [
        ["runid", "all", "one"],
        ["num_q", "all", "2"],
        ["num_ret", "all", "2"],
        ["map", "all", "1.0000"],
        ["gm_map", "all", "1.0000"],
        ["RBP(p=0.5)", "all", "0.2500"],
        ["runid", "all", "two"],
        ["num_q", "all", "2"],
        ["num_ret", "all", "2"],
        ["map", "all", "0.0000"],
        ["gm_map", "all", "0.0000"],
        ["RBP(p=0.5)", "all", "0.0000"],
    ]


def test_topics_come_first_without_what_is_told_of_all_only_and_what_is_undefined() -> None:
    assert lines(True)[:5] == [
        ["num_ret", "1", "1"],
        ["map", "1", "1.0000"],
        ["RBP(p=0.5)", "1", "0.5000"],
        ["num_ret", "2", "1"],
        ["RBP(p=0.5)", "2", "0.0000"],
    ]
