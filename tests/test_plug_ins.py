"""The package of docs/how-to/plug-ins.md is found by its entry points and keeps the contracts."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest

from leadline.io.datasets import COLLECTION

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "plug-ins.md"
FILE = re.compile(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as an installer leaves it: its files, and what they are."""
    folder = tmp_path_factory.mktemp("site")
    files = dict(FILE.findall(PAGE.read_text(encoding="utf-8")))
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    project = tomllib.loads(files["pyproject.toml"])["project"]
    (folder / "tide" / "__init__.py").touch()
    info = folder / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return folder


def run(installed: Path, *command: str) -> subprocess.CompletedProcess[str]:
    paths = [str(installed), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    # The plug-ins of pytest that are installed here are no part of theirs.
    alone = {"PYTHONPATH": os.pathsep.join(paths), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, *command],
        env=os.environ | alone,
        cwd=installed,
        capture_output=True,
        text=True,
    )


def test_the_contracts_hold(installed: Path) -> None:
    done = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tide.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_its_examples_are_true(installed: Path) -> None:
    done = run(installed, "-m", "doctest", "tide/falling_precision.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_listed(installed: Path) -> None:
    done = run(installed, "-m", "leadline", "list")
    for line in (
        "measures,FallingP,",
        "estimators,TopicMean,",
        "orders,MostReturned,",
        "adjusters,MedianLoss,",
        "formats,BarTable,",
    ):
        assert line in done.stdout, done.stderr


def test_its_measure_scores_like_any_other(installed: Path) -> None:
    (installed / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (installed / "my.run").write_text("1 Q0 a 1 3 x\n1 Q0 z 2 2 x\n1 Q0 b 3 1 x\n")
    done = run(installed, "-m", "leadline", "evaluate", "qrels", "my.run", "-m", "FallingP@3")
    # Ranks weigh 3/6, 2/6 and 1/6; the second is open.
    *_, row = done.stdout.split()
    run_name, topic, measure, value, lower, upper, judged = row.split(",")
    assert (run_name, topic, measure) == ("my", "all", "FallingP@3")
    ends = [float(number) for number in (value, lower, upper, judged)]
    assert ends == pytest.approx([1 / 2, 1 / 2, 5 / 6, 2 / 3])


def test_its_format_is_read_like_any_other(installed: Path) -> None:
    (installed / "bars").write_text("topic|doc|score\n1|a|2\n1|b|1\n")
    (installed / "judged").write_text("topic|doc|grade\n1|a|0\n1|b|1\n")
    done = run(installed, "-m", "leadline", "evaluate", "judged", "bars", "-m", "RR")
    assert "bars,all,RR,0.5,0.5,0.5,1.0" in done.stdout.split(), done.stderr


def test_an_entrant_and_the_estimator_play_in_the_benchmark(installed: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "benchmark.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```python\n(# my_method.*?)^```", page, re.MULTILINE | re.DOTALL)
    (installed / "my_method.py").write_text(text)
    info = installed / "theirs-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: theirs\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[leadline.entrants]\nfirst = my_method\n")
    small = [
        "--draws",
        "1",
        "--share",
        "0.25",
        "--runs",
        "12",
        "--budget",
        "20",
        "-m",
        "RBP(p=0.95)",
    ]
    methods = ["--method", "FirstRanks", "--method", "TopicMean", "--method", "as judged"]
    tasks = ["--task", "a", "--task", "d", *methods, *small]
    done = run(installed, "-m", "leadline", "benchmark", str(COLLECTION), *tasks, "-o", "board")
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(installed / "board" / "benchmark.csv")
    assert set(table["method"]) == {"FirstRanks", "TopicMean", "as judged"}
    assert "FirstRanks" in (installed / "board" / "benchmark.html").read_text(encoding="utf-8")


def test_a_broken_plug_in_is_named_and_left_out(installed: Path) -> None:
    info = installed / "leak-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: leak\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[leadline.pools]\nleak = no_such_module\n")
    done = run(installed, "-m", "leadline", "list", "pools")
    assert done.returncode == 0
    assert "pools,Depth," in done.stdout
    assert "the plug-in leak = no_such_module cannot be used: ModuleNotFoundError" in done.stderr
