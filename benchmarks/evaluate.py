"""Leadline and its peers, end to end: from files on disk to means, each in a fresh process.

    python -m benchmarks.evaluate [--quick] [--rounds N] [--only [NAME ...]] [--tools TOOL ...]
        [--collection FOLDER]

Tools take turns, so that a slow moment of the machine hits all of them. Before anything is timed,
Leadline and pytrec_eval must agree. See benchmarks/README.md for how to read the tables.
"""

import argparse
import json
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import datasets
from benchmarks.datasets import FULL, QUICK, DataSet, data_set
from benchmarks.process import measure, module
from benchmarks.report import TOLERANCE, Series, notes, speed_table
from benchmarks.startup import start_up
from benchmarks.tools import NAMES, Tool, Unavailable, differences, versions

START_UP = "start-up"
START_UP_ROUNDS = 5


def main() -> None:
    """Measure what was asked for; exit code 1 if tools that must agree do not."""
    given = arguments()
    where = given.data or datasets.folder(given.quick)
    rounds = given.rounds or (1 if given.quick else 3)
    names = [name for name in datasets.NAMES if name in given.only]
    numbers: dict[str, object] = {"machine": machine()}
    print(", ".join(f"{key} {value}" for key, value in machine().items()))
    if names:
        # By a process of its own, because this one must stay small: see datasets.py.
        flags = ["--quick"] if given.quick else []
        measure(module("benchmarks.generate", *flags, "--data", str(where.resolve()), *names))
    with TemporaryDirectory() as folder:
        # ranx compiles for most of a minute, however small the data.
        default = [name for name in NAMES if not (given.quick and name.startswith("ranx"))]
        tools = [Tool(name, Path(folder)) for name in given.tools or default]
        for name in names:
            files = data_set(name, QUICK if given.quick else FULL, where.resolve())
            numbers[name] = compare(files, tools, rounds)
        if given.collection:
            files = datasets.collection(given.collection)
            numbers[files.name] = compare(files, tools, rounds)
    if START_UP in given.only:
        print(f"\n{START_UP} (rounds: {START_UP_ROUNDS})")
        seconds, text = start_up(START_UP_ROUNDS)
        numbers[START_UP] = seconds
        print(text)
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=1))


def arguments() -> argparse.Namespace:
    """The command line."""
    parts = (*datasets.NAMES, START_UP)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small data, one round")
    parser.add_argument("--rounds", type=int, help="default: 3")
    parser.add_argument("--only", nargs="*", choices=parts, default=parts, metavar="NAME")
    parser.add_argument("--collection", type=Path, metavar="FOLDER", help="its runs too")
    parser.add_argument("--tools", nargs="+", choices=NAMES, metavar="TOOL")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="default: bench-data")
    return parser.parse_args()


def machine() -> dict[str, str]:
    """What the numbers depend on besides the tools' code."""
    return {
        "python": platform.python_version(),
        **versions(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
    }


def compare(files: DataSet, tools: list[Tool], rounds: int) -> dict[str, object]:
    """Measure all tools on one data set and print the table."""
    print(f"\n{files.name} (runs: {len(files.runs)}, rounds: {rounds})", flush=True)
    check_agreement(files, tools)
    for tool in tools:
        if tool.name == "ranx-compiled":
            with suppress(Unavailable):
                tool.run(files)
    found: dict[str, Series] = {tool.name: Series() for tool in tools}
    for _ in range(rounds):
        for tool in tools:
            if tool.name not in found:
                continue
            try:
                found[tool.name].add(*tool.run(files))
            except Unavailable as reason:
                print(f"{tool.name} is left out: {reason}", flush=True)
                del found[tool.name]
    said = notes(found)
    print("\n".join([speed_table(found), *said]), flush=True)
    return {tool: series.numbers() for tool, series in found.items()} | {"notes": said}


def check_agreement(files: DataSet, tools: list[Tool]) -> None:
    """Exit if the means of Leadline and pytrec_eval differ: nobody needs a fast wrong answer.

    It also brings the files into memory, so that no tool has to read them from the disk first.
    """
    by_name = {tool.name: tool for tool in tools}
    if not {"leadline", "pytrec_eval"} <= by_name.keys():
        print("Leadline is not checked against pytrec_eval: one of them was not asked for")
        return
    try:
        ours, theirs = (by_name[name].run(files)[1] for name in ("leadline", "pytrec_eval"))
    except Unavailable as reason:
        print(f"Leadline is not checked against pytrec_eval: {reason}")
        return
    off = differences(ours, theirs)
    if not max(off.values()) <= TOLERANCE:
        sys.exit(f"Leadline and pytrec_eval differ on {files.name}, nothing is timed: {off}")
    print(f"Leadline and pytrec_eval agree: largest difference {max(off.values()):.1g}", flush=True)


if __name__ == "__main__":
    main()
