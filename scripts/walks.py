"""Count the functions, files and package changes of leadline that five calls pass.

    python -m scripts.walks                       all five, on the bundled collection
    python -m scripts.walks > docs/results/walks.md
    python -m scripts.walks --show estimate       every function that one of them passes, by file

Each walk is one call in a fresh process, after `leadline.cli.app` is imported. Functions are the
distinct named functions, methods and nested functions included, that are entered at least once in
any thread; files are those that contain them. Bodies of modules and classes, lambdas,
comprehensions and generator expressions are not counted. Package changes: list these functions in
the order in which each is entered for the first time, and count the neighbours that lie in
different top-level packages (the first component after leadline). Reading threads take turns
differently each time, so package changes vary by up to four between repetitions. A click is one
POST of a judgment to the running app, after a first one; the answer brings the next document.
"""

import argparse
import contextlib
import inspect
import io
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import leadline
from leadline.io.datasets import COLLECTION as DEMO

HOME = Path(leadline.__file__).parent
QRELS = str(DEMO / "qrels.txt.gz")
NAMES = ("anstey-bm25", "eastwick-mmr")
RUNS = [str(DEMO / "runs" / f"{name}.gz") for name in NAMES]
COMMANDS = {
    "evaluate": ["evaluate", QRELS, *RUNS, "-m", "P@10"],
    "next": ["next", QRELS, *RUNS, "--simulate", QRELS, "--budget", "10"],
    "estimate": [
        "estimate",
        QRELS,
        str(DEMO / "runs"),
        "-m",
        "RBP(p=0.8)",
        "-e",
        "TwoStage",
        "--pool-depth",
        "5",
    ],
    "gate": ["gate", str(DEMO), "--baseline", NAMES[0], "--new", NAMES[1], "-m", "P@10"],
}
BEFORE = {
    "evaluate": ("245/52", "94"),
    "next": ("393/78", "136"),
    "click": ("187/49", "not counted"),
    "estimate": ("359/72", "132"),
    "gate": ("388/83", "134"),
}
"""Functions/files and package changes before the packages were merged."""
UNDECIDED = 3
"""The gate's exit code on these two runs."""


class Steps:
    """Functions entered while `counting` was on, in threads started after it was made."""

    def __init__(self) -> None:
        self.counting = False
        self.code: dict[CodeType, None] = {}
        threading.setprofile(self._enter)
        sys.setprofile(self._enter)

    def _enter(self, frame: FrameType, event: str, _: object) -> None:
        if self.counting and event == "call":
            self.code.setdefault(frame.f_code)

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count what is entered inside."""
        self.code.clear()
        self.counting = True
        try:
            yield
        finally:
            self.counting = False

    def functions(self) -> list[tuple[str, str]]:
        """File and name of leadline's functions, in the order of their first entry."""
        entered = []
        for code in self.code:
            path = Path(code.co_filename)
            named = code.co_flags & inspect.CO_NEWLOCALS and not code.co_name.startswith("<")
            if named and path.is_relative_to(HOME):
                entered.append((path.relative_to(HOME).as_posix(), code.co_qualname))
        return entered


def command(words: list[str], steps: Steps) -> None:
    """One call of the program."""
    from leadline.cli.app import main

    sys.argv = ["leadline", *words]
    silent = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(silent[0]), contextlib.redirect_stderr(silent[1]):
        try:
            with steps.counted():
                main()
        except SystemExit as end:
            if end.code and (words[0], end.code) != ("gate", UNDECIDED):
                raise


def click(steps: Steps) -> None:
    """One judgment sent to the judging app."""
    import httpx

    from leadline.cli.app import main

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    sys.argv = ["leadline", "judge", "sea", "--demo", "--port", port]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        threading.Thread(target=main, daemon=True).start()
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            _wait(lambda: client.get("/static/icon.svg"))
            link = (Path("sea") / "way-in.txt").read_text().strip()
            client.get(link, follow_redirects=True)
            client.headers["X-Leadline-CSRF"] = client.get("/api/me").json()["csrf"]
            turn = _judge(client, client.post("/api/next").json())
            with steps.counted():
                _judge(client, turn)
                # Whoever follows the standing is told in other threads.
                time.sleep(1)


def _judge(client: Any, turn: dict[str, Any]) -> dict[str, Any]:
    place = {key: turn["assignment"][key] for key in ("topic", "doc")}
    answer = client.post("/api/judgments", json={**place, "grade": 1}).raise_for_status()
    return dict(answer.json())


def _wait(ready: Callable[[], object]) -> None:
    import httpx

    end = time.monotonic() + 120
    while time.monotonic() < end:
        with contextlib.suppress(httpx.HTTPError):
            ready()
            return
        time.sleep(0.1)
    raise TimeoutError("the judging app does not answer")


def walk(name: str) -> None:
    """Print the functions that a walk passes, as JSON, and end the process."""
    import leadline.cli.app  # noqa: F401

    steps = Steps()
    click(steps) if name == "click" else command(COMMANDS[name], steps)
    sys.stdout.write(json.dumps(steps.functions()))
    sys.stdout.flush()
    os._exit(0)


def passed(name: str) -> list[tuple[str, str]]:
    """File and name of the functions that a walk passes, counted in a process of its own."""
    root = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "scripts.walks", "--walk", name]
        env = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(words, cwd=folder, env=env, stdout=subprocess.PIPE, check=True)
    return [(file, function) for file, function in json.loads(done.stdout)]


def package_changes(files: list[str]) -> int:
    """How often neighbours lie in different top-level packages."""
    packages = [file.split("/")[0] for file in files]
    return sum(a != b for a, b in itertools.pairwise(packages))


def main() -> None:
    """Print the table, or one walk."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", choices=BEFORE)
    parser.add_argument("--walk", choices=BEFORE, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.walk:
        walk(asked.walk)
    if asked.show:
        for file, functions in itertools.groupby(sorted(passed(asked.show)), itemgetter(0)):
            print(f"{file}: {', '.join(name for _, name in functions)}")
        return
    print("# Length of five calls\n")
    print("Written by `python -m scripts.walks > docs/results/walks.md`.\n")
    print((__doc__ or "").split("\n\n")[-1])
    print("| call | functions/files before | now | package changes before | now |")
    print("|---|---|---|---|---|")
    for name, (before, changes_before) in BEFORE.items():
        files = [file for file, _ in passed(name)]
        now, changes = f"{len(files)}/{len(set(files))}", package_changes(files)
        print(f"| {name} | {before} | {now} | {changes_before} | {changes} |", flush=True)


if __name__ == "__main__":
    main()
