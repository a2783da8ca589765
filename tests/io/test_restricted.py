"""Files of topics and pools restrict what counts."""

from pathlib import Path

import pytest

from tests.io.plain_files import Rows, cli, scores


@pytest.mark.parametrize("content", [b"2\n10\n", b"\xef\xbb\xbf10\r\n\r\n2", b"# note\n2\n\n10\n"])
def test_a_file_of_topics_restricts_the_evaluation(
    plain: tuple[Path, Path, Rows], tmp_path: Path, content: bytes
) -> None:
    qrels, run, _ = plain
    (tmp_path / "topics").write_bytes(content)
    result = cli(qrels, run, "-m", "RR", "--per-topic", "--topics", tmp_path / "topics")
    got = result.table()
    assert {topic for _, topic, _ in got} == {"2", "10", "all"}
    assert float(got["plain", "all", "RR"]["value"]) == 0.5
    assert scores(qrels, run, topics=["2", "10"]) == scores(qrels, run, topics=tmp_path / "topics")


def test_a_topic_that_was_not_asked_for_is_not_called_unjudged(
    plain: tuple[Path, Path, Rows], tmp_path: Path
) -> None:
    qrels, run, _ = plain
    (tmp_path / "topics").write_bytes(b"2\n10\n")
    # Topic 1 has judgments; the user left it out on purpose.
    assert "no judgments" not in cli(qrels, run, "-m", "RR", "--topics", tmp_path / "topics").err


def test_a_pool_hides_the_judgments_outside_it(
    plain: tuple[Path, Path, Rows], tmp_path: Path
) -> None:
    qrels, run, _ = plain
    (tmp_path / "pool.csv").write_bytes(
        b"topic,doc,stratum,inclusion\n1,d3,0,1.0\n1,d7,0,1.0\n2,d1,0,1.0\n10,d6,0,1.0\n"
    )
    arguments = ("-m", "P@3", "--per-topic", "--pool", tmp_path / "pool.csv")
    row = cli(qrels, run, *arguments).table()["plain", "1", "P@3"]
    got = [float(row[key]) for key in ("value", "upper", "judged")]
    assert got == pytest.approx([1 / 3, 1, 1 / 3])
