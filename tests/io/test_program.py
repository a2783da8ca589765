"""Two processes of one installation run one program; any change of it is seen."""

import subprocess
import sys
from dataclasses import replace

from leadline.io.workers import this_program


def test_another_process_runs_the_same_program() -> None:
    code = "from leadline.io.workers import this_program; print(this_program().leadline)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == this_program().leadline


def test_differences_name_the_package_and_both_versions() -> None:
    ours = this_program()
    beside = dict(ours.beside)
    assert set(beside) == {"Python", "numpy", "scipy", "polars"}
    other = replace(ours, beside=tuple({**beside, "numpy": "1.0"}.items()))
    assert ours.differences(ours) == []
    assert ours.differences(other) == [f"numpy 1.0 there, {beside['numpy']} here"]
    assert len(ours.differences(replace(ours, beside=()))) == 4
