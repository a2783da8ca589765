"""Verbs on runs in Parquet files, whatever their layout: as on the same runs in text files."""

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leadline
from leadline.io import run_stream
from leadline.io.problems import InputError
from leadline.io.run_stream import rows_within
from tests.api.test_scored_pieces import Travelling

MEASURES = ["AP", "nDCG@10", "RBP(p=0.8)"]
LAYOUTS = ("in order", "scattered", "by topic", "column", "one file")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of 30 topics in text files, and judgments; some topics are missing or not judged."""
    folder, chance = tmp_path_factory.mktemp("text"), random.Random(3)
    (folder / "runs").mkdir()
    for name in ("one", "two"):
        lines = [
            f"t{topic} Q0 d{doc} 1 {chance.randrange(40)} x\n"
            for topic in range(2, 32)
            for doc in chance.sample(range(60), 25)
        ]
        (folder / "runs" / f"{name}.run").write_text("".join(lines))
    judged = [f"t{topic} 0 d{doc} {doc % 3}\n" for topic in range(30) for doc in range(0, 60, 4)]
    (folder / "qrels").write_text("".join(judged))
    return folder


def parquet(text: Path, folder: Path, layout: str) -> Any:
    """The same runs as tables: a folder, or files."""
    for file in sorted((text / "runs").iterdir()):
        rows = [line.split() for line in file.read_text().splitlines()]
        table = [(fields[0], fields[2], float(fields[4])) for fields in rows]
        frame = pl.DataFrame(table, schema=["topic", "doc", "score"], orient="row")
        if layout == "one file":
            frame.write_parquet(folder / f"{file.stem}.parquet", row_group_size=40)
            continue
        if layout == "scattered":
            frame = frame.sample(fraction=1.0, shuffle=True, seed=1)
        name = f"run={file.stem}"
        if layout in ("in order", "scattered"):
            (folder / name).mkdir()
            for number, part in enumerate(frame.iter_slices(200)):
                part.write_parquet(folder / name / f"{number}.parquet", row_group_size=70)
            continue
        for (topic,), part in frame.group_by("topic", maintain_order=True):
            below = folder / f"topic={topic}" / (name if layout == "by topic" else "")
            below.mkdir(parents=True, exist_ok=True)
            part = part.drop("topic").with_columns(run=pl.lit(file.stem))
            part.write_parquet(below / f"{file.stem}.parquet")
    return sorted(folder.iterdir()) if layout == "one file" else folder


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_and_notices_are_those_of_text(
    layout: str, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = parquet(text, tmp_path, layout)
    here = leadline.evaluate(text / "qrels", text / "runs", MEASURES, per_topic=True)
    assert any("t30" in line for line in here.notices.lines())
    # Few rows at a time: many parts, and buckets where rows are scattered.
    monkeypatch.setattr(run_stream, "MOST", 60)
    for how in ({"memory": "100GB"}, {}, {"dask": Travelling()}):
        there = leadline.evaluate(text / "qrels", runs, MEASURES, per_topic=True, **how)  # type: ignore[arg-type]
        assert there.frame.equals(here.frame)
        # Topics are named in the order in which they are met.
        assert list(map(sorted, there.notices.lines())) == list(map(sorted, here.notices.lines()))


@pytest.mark.parametrize("layout", ["scattered", "column"])
def test_other_verbs_read_them_too(layout: str, text: Path, tmp_path: Path) -> None:
    runs = parquet(text, tmp_path, layout)
    for verb, how in (
        (leadline.compare, {"measures": "P@10"}),
        (leadline.pool, {"strategy": "Depth(d=5)"}),
        (leadline.gate, {"measures": "P@10", "baseline": "one", "new": "two"}),
    ):
        here, there = (verb(text / "qrels", each, **how) for each in (text / "runs", runs))  # type: ignore[operator]
        assert there.frame.equals(here.frame)


def test_measures_of_subtopics_take_runs_whole(text: Path, tmp_path: Path) -> None:
    runs = parquet(text, tmp_path, "in order")
    lines = [line.split() for line in (text / "qrels").read_text().splitlines()]
    judged = "".join(
        f"{t} {1 + int(d[1:]) // 4 % 2} {d} {min(1, int(g))}\n" for t, _, d, g in lines
    )
    (tmp_path / "ndeval").write_text(judged)
    how = {"measures": "alpha_nDCG@10"}
    here, there = (
        leadline.evaluate(tmp_path / "ndeval", each, **how)
        for each in (text / "runs", runs)  # type: ignore[arg-type]
    )
    assert there.frame.equals(here.frame)


def test_faults_are_told_by_file_and_row(text: Path, tmp_path: Path) -> None:
    runs = parquet(text, tmp_path, "in order")
    bad = tmp_path / "run=one" / "2.parquet"
    frame = pl.read_parquet(bad)
    frame.with_columns(
        score=pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise("score")
    ).write_parquet(bad)
    with pytest.raises(InputError, match=r"2\.parquet: row 8: the score must be a number"):
        leadline.evaluate(text / "qrels", runs)
    frame.clear().write_parquet(tmp_path / "empty.parquet")
    with pytest.raises(InputError, match=r"empty\.parquet: is empty"):
        leadline.evaluate(text / "qrels", tmp_path / "empty.parquet")


def test_too_little_memory_is_told_with_what_is_needed(text: Path, tmp_path: Path) -> None:
    runs = parquet(text, tmp_path, "in order")
    with pytest.raises(ValueError, match=r"`memory` must be at least [0-9,]+ MB here"):
        leadline.evaluate(text / "qrels", runs, memory="20MB")
    assert rows_within(10**12, 0) == run_stream.MOST
    assert rows_within(10**10, 10**5) >= run_stream.FEWEST
