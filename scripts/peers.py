"""Writes docs/results/peer-inputs.md: what each tool does with bad and odd inputs.

    python -m scripts.peers [--check]

Every tool runs every case in a process of its own, so that one that dies is seen to die. ranx
compiles itself at its first use: half a minute of processor before the first line is written.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from scripts.peer_cases import CASES, Case

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "peer-inputs.md"
OUTCOMES = ("right", "refused", "silently wrong", "crashed")
SECONDS = 120
"""After which a tool counts as crashed."""

INTRODUCTION = """
# Bad and odd inputs, tool by tool

Written by `python -m scripts.peers`.

{n} inputs, each a small qrels file and a run. *Right*: the mean AP that is meant, or of rbp-eval,
which has no AP, the RBP with p = 0.5. *Refused*: an error, of whatever kind. *Silently wrong*:
another number, or any number where none is meant. Where nothing sensible is meant, only a refusal
is right. `scripts/peer_cases.py` has the inputs and what each means. trec_eval itself is
included where the variable TREC_EVAL names it.
"""

Tool = Callable[[Path, Path], float]


def leadline_ap(qrels: Path, run: Path) -> float:
    """Mean AP by `leadline evaluate`, strictly."""
    import leadline

    return float(leadline.evaluate(qrels, run, "AP")["value"].item())


def pytrec_eval_ap(qrels: Path, run: Path) -> float:
    """Mean AP over the topics that pytrec_eval returns, with its own readers."""
    import pytrec_eval

    with qrels.open() as judged, run.open() as listed:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(judged), {"map"})
        scores = evaluator.evaluate(pytrec_eval.parse_run(listed))
    return sum(each["map"] for each in scores.values()) / len(scores)


def ir_measures_ap(qrels: Path, run: Path) -> float:
    """Mean AP by ir_measures, with its own readers."""
    import ir_measures

    judged = list(ir_measures.read_trec_qrels(str(qrels)))
    listed = list(ir_measures.read_trec_run(str(run)))
    return float(ir_measures.calc_aggregate([ir_measures.AP], judged, listed)[ir_measures.AP])


def ranx_ap(qrels: Path, run: Path) -> float:
    """Mean AP by ranx, with its own readers."""
    from ranx import Qrels, Run, evaluate

    judged = Qrels.from_file(str(qrels), kind="trec")
    listed = Run.from_file(str(run), kind="json" if run.suffix == ".json" else "trec")
    return float(evaluate(judged, listed, "map"))


def rbp_eval_rbp(qrels: Path, run: Path) -> float:
    """Mean RBP(p=0.5) by rbp-eval, which has no AP, with its own readers."""
    from rbp_eval import Ordering, Rbp, load_qrels, load_run

    with qrels.open() as judged, run.open() as listed:
        loaded = load_run(listed)
        calculator = Rbp(load_qrels(judged), Ordering.SCORE, [0.5])
    values = []
    for number in range(loaded.num_qdocs()):
        calculator.init(loaded.get_qdocs_by_index(number))
        (value,), _ = calculator.calc_to_depth(1000)
        values.append(value.sum)
    return sum(values) / len(values)


def trec_eval_ap(qrels: Path, run: Path) -> float:
    """Mean AP by the program that the variable TREC_EVAL names, over all judged topics."""
    command = [os.environ["TREC_EVAL"], "-c", "-m", "map", "-M", "1000000", str(qrels), str(run)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode < 0:
        os.kill(os.getpid(), -done.returncode)
    if done.returncode or done.stderr.strip():
        raise ValueError(done.stderr)
    return float(done.stdout.split()[-1])


TOOLS: dict[str, tuple[str, Tool]] = {
    "Leadline": ("leadline", leadline_ap),
    "pytrec_eval": ("pytrec-eval-terrier", pytrec_eval_ap),
    "ir_measures": ("ir-measures", ir_measures_ap),
    "ranx": ("ranx", ranx_ap),
    "rbp-eval": ("rbp-eval", rbp_eval_rbp),
}


def outcome(tool: Tool, case: Case, folder: Path) -> str:
    """What a tool does with a case, tried in a child."""
    qrels, run = folder / "qrels", folder / f"run{case.suffix}"
    qrels.write_bytes(case.qrels)
    run.write_bytes(case.run)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(SECONDS)
        os.write(write, _tried(tool, case, qrels, run).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return told if status == 0 else "crashed"


def _tried(tool: Tool, case: Case, qrels: Path, run: Path) -> str:
    warnings.simplefilter("ignore")
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            value = tool(qrels, run)
    except Exception:
        return "refused"
    except BaseException:
        return "crashed"
    if case.meant is None:
        return "silently wrong"
    meant = case.rank_biased_precision() if tool is rbp_eval_rbp else case.average_precision()
    return "right" if abs(value - meant) < 1e-4 else "silently wrong"


def known_tools() -> dict[str, Tool]:
    """The tools that are installed, each warmed up: some compile themselves at first use."""
    tools = {name: tool for name, (_, tool) in TOOLS.items()}
    if os.environ.get("TREC_EVAL"):
        tools["trec_eval"] = trec_eval_ap
    with tempfile.TemporaryDirectory() as folder:
        for name, tool in list(tools.items()):
            qrels, run = Path(folder) / "qrels", Path(folder) / "run"
            qrels.write_bytes(CASES[0].qrels)
            run.write_bytes(CASES[0].run)
            # polars must not run before a fork: its threads would not be there after it.
            if name not in ("Leadline", "trec_eval"):
                tool(qrels, run)
    return tools


def table(tools: dict[str, Tool]) -> dict[str, list[str]]:
    """By case the outcome of every tool."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for number, case in enumerate(CASES, 1):
            print(f"{number} of {len(CASES)}: {case.what}", file=sys.stderr)
            found[case.what] = [outcome(tool, case, Path(folder)) for tool in tools.values()]
        return found


def told(tools: dict[str, Tool], found: dict[str, list[str]]) -> str:
    """The file of results."""
    names = [name if name == "trec_eval" else f"{name} {version(TOOLS[name][0])}" for name in tools]
    lines = [
        INTRODUCTION.format(n=len(CASES)).strip(),
        "",
        f"| outcome | {' | '.join(names)} |",
        f"|---|{'---|' * len(names)}",
    ]
    counts = [Counter(row[at] for row in found.values()) for at in range(len(tools))]
    for each in OUTCOMES:
        lines.append(f"| {each} | {' | '.join(str(count[each]) for count in counts)} |")
    lines += ["", f"| input | meant | {' | '.join(tools)} |", f"|---|---|{'---|' * len(names)}"]
    for case in CASES:
        meant = "nothing" if case.meant is None else f"AP {case.average_precision():.3f}"
        marks = [f"**{each}**" if each in OUTCOMES[2:] else each for each in found[case.what]]
        lines.append(f"| {case.what} | {meant} | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """1 if Leadline is silently wrong somewhere, or with --check if the file is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    tools = known_tools()
    found = table(tools)
    text = told(tools, found)
    print(text, end="")
    kept = RESULTS.read_text(encoding="utf-8")
    if not given.check:
        RESULTS.write_text(text, encoding="utf-8")
    ours = {row[0] for row in found.values()}
    return 1 if ours & set(OUTCOMES[2:]) or (given.check and text != kept) else 0


if __name__ == "__main__":
    sys.exit(main())
