"""ir_metadata at the top of run files: written by `run`, read, and refused where it is faulty."""

from pathlib import Path

import pytest
import yaml

import leadline
from leadline.api.run import run
from leadline.io.problems import InputError
from leadline.io.run_metadata import metadata_text, read_metadata

EXAMPLE = """# ir_metadata.start
# schema-version: 0.1
# tag: mine
# actor:
#   name: A. Person
#   degree: [one, two]
# ir_metadata.end
1 Q0 a 1 2.0 mine
"""


def test_what_run_writes_is_read_again_and_scored(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    result = run({"1": "fog"}, retriever=lambda query: ["a"], name="mine", ir_metadata=True)
    result.metadata["actor"] = {
        "name": "yes",
        "team": "B: 2",
        "fields": ["x", {"y": 1, "z": "#"}],
        "none": [],
    }
    result.write_run(path)
    found = read_metadata(path)
    assert found == result.metadata
    assert found["tag"] == "mine"
    assert found["method"]["retrieval"] == [{"name": "retriever", "method": "retriever"}]
    assert leadline.evaluate({"1": {"a": 1}}, path, "P@1")["value"].to_list() == [1.0]
    assert "#" not in run({"1": "fog"}, retriever=lambda query: ["a"]).text


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "1.0",
        "true",
        "null",
        "",
        " a ",
        "a: b",
        "- a",
        "{x",
        "caf\u00e9",
        1,
        0.5,
        True,
        None,
    ],
)
def test_every_scalar_survives(value: object) -> None:
    lines = metadata_text({"key": value, "list": [value, {"inner": value}]}).splitlines()
    text = "\n".join(line[2:] for line in lines[1:-1])
    assert yaml.safe_load(text) == {"key": value, "list": [value, {"inner": value}]}


def test_runs_of_others(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text(EXAMPLE)
    assert read_metadata(path)["actor"] == {"name": "A. Person", "degree": ["one", "two"]}
    scores = leadline.evaluate({"1": {"a": 1}}, path, "P@1")
    assert scores.texts()["ir_metadata"]["mine"]["tag"] == "mine"
    path.write_text("# a comment\n1 Q0 a 1 2.0 mine\n")
    assert read_metadata(path) == {}
    assert leadline.evaluate({"1": {"a": 1}}, path, "P@1").texts() == {}


def test_faulty_metadata_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text(EXAMPLE.replace("# ir_metadata.end\n", ""))
    with pytest.raises(InputError, match=r"mine.run:1: begins with ir_metadata.start but has no"):
        read_metadata(path)
    path.write_text(EXAMPLE.replace("[one, two]", "[one"))
    with pytest.raises(InputError, match=r"mine.run:\d: has metadata that is no YAML"):
        read_metadata(path)
    path.write_text("# ir_metadata.start\n# words\n# ir_metadata.end\n1 Q0 a 1 2.0 mine\n")
    with pytest.raises(InputError, match="has metadata without keys"):
        read_metadata(path)
