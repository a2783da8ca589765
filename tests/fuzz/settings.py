"""Targets for files that people write to steer a verb: projects, slices, labels, kept answers."""

import json
from dataclasses import asdict

import numpy as np

from leadline.io.formats import Reading
from leadline.io.inputs import noisy_judges
from leadline.io.problems import Notices
from leadline.io.slices import read_slices
from leadline.judging.project import read_project
from leadline.labels.asking import AnswerCache
from tests.fuzz.target import may_refuse, scratch, target


@target("project", share=10)
def judge_toml(data: bytes) -> None:
    """A project's settings: written out they are read as the same, or they are refused."""
    path = scratch(data, "judge.toml")
    with may_refuse(path):
        project = read_project(path.parent)
        scratch(project.text().encode(), "judge.toml")
        assert read_project(path.parent) == project


@target("slices", "groups", share=20)
def slices(data: bytes) -> None:
    """Slices of topics: named, none without a topic, or a refusal."""
    for name in ("slices.tsv", "slices.csv"):
        path = scratch(data, name)
        with may_refuse(path):
            found = read_slices(path, ("1", "2", "3"), Notices())
            assert found
            assert all(found)
            assert all(topics.shape == (3,) and np.any(topics) for topics in found.values())


@target("labels", "qrels", "table", share=6)
def cheap_labels(data: bytes) -> None:
    """Labels of a judge: a whole number for every pair, or a refusal."""
    path = scratch(data, "labels.csv")
    with may_refuse(path):
        (judge,) = noisy_judges(path, Reading())
        assert judge.name == "labels"
        rows = judge.labels.frame.rows()
        assert len({row[:2] for row in rows}) == len(rows), "a pair twice"
        assert all(grade is None or 0 <= grade <= 32767 for _, _, grade, *_ in rows)


@target("answers", "ledger", share=30)
def kept_answers(data: bytes) -> None:
    """Answers that were paid for: the same when written again, or a refusal with the line."""
    path = scratch(data, "answers.jsonl")
    with may_refuse(path):
        answers = AnswerCache(path, look=True).answers
        lines = [json.dumps({"ask": ask} | asdict(answer)) for ask, answer in answers.items()]
        text = '{"leadline": "answers"}\n' + "".join(f"{line}\n" for line in lines)
        again = AnswerCache(scratch(text.encode(), "again.jsonl"), look=True)
        assert again.answers == answers
        assert all(type(ask) is str for ask in answers)
    assert path.read_bytes() == data, "reading changes nothing"
