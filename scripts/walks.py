"""Count the functions and files of leadline that five walks through the house pass.

    python -m scripts.walks                  all five, on the bundled collection
    python -m scripts.walks --show estimate  every function that one of them passes, by file

The rule: each walk is one call in a fresh process, after `leadline.cli.app` is imported. Counted
are the distinct functions with a name, methods and nested ones too, that are entered at least once
in any thread, and the files that these lie in. Not counted: bodies of modules and classes, lambdas,
comprehensions, generator expressions. A click is one POST of a judgment to the running app, after a
first one; the answer brings the next document.
"""

import argparse
import contextlib
import inspect
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import leadline

HOME = Path(leadline.__file__).parent
DEMO = HOME / "demo" / "collection"
QRELS = str(DEMO / "qrels.txt.gz")
RUNS = [str(DEMO / "runs" / f"{name}.gz") for name in ("anstey-bm25", "eastwick-mmr")]
COMMANDS = {
    "evaluate": ["evaluate", QRELS, *RUNS, "-m", "P@10"],
    "order": ["order", QRELS, *RUNS, "--answers", QRELS, "--budget", "10"],
    "estimate": [
        "estimate",
        QRELS,
        str(DEMO / "runs"),
        "-m",
        "RBP(p=0.8)",
        "-e",
        "Lb",
        "--pool-depth",
        "5",
    ],
    "reproduce": ["reproduce", "lu17", str(DEMO), "-o", "out", "--quick"],
}
BEFORE = {
    "evaluate": ("158/32", "158/32"),
    "order": ("197/46", "197/46"),
    "click": ("108/27", "108/27"),
    "estimate": ("220/47", "220/47"),
    "reproduce": ("358/73", "357/73"),
}
"""Functions and files before the house was rebuilt: as first told, and counted by this script."""


class Steps:
    """Code that was entered while `counting` was on, in threads started after it was made."""

    def __init__(self) -> None:
        self.counting = False
        self.code: set[CodeType] = set()
        threading.setprofile(self._enter)
        sys.setprofile(self._enter)

    def _enter(self, frame: FrameType, event: str, _: object) -> None:
        if self.counting and event == "call":
            self.code.add(frame.f_code)

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count what is entered inside."""
        self.code.clear()
        self.counting = True
        try:
            yield
        finally:
            self.counting = False

    def functions(self) -> dict[str, list[str]]:
        """Names of leadline's functions among them, by file."""
        found: dict[str, list[str]] = {}
        for code in sorted(self.code, key=lambda code: (code.co_filename, code.co_firstlineno)):
            path = Path(code.co_filename)
            named = code.co_flags & inspect.CO_NEWLOCALS and not code.co_name.startswith("<")
            if named and path.is_relative_to(HOME):
                found.setdefault(str(path.relative_to(HOME)), []).append(code.co_qualname)
        return found


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
            if end.code:
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


def passed(name: str) -> dict[str, list[str]]:
    """Functions by file that a walk passes, counted in a process of its own."""
    root = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "scripts.walks", "--walk", name]
        env = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(words, cwd=folder, env=env, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


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
        for file, names in passed(asked.show).items():
            print(f"{file}: {', '.join(names)}")
        return
    print(f"leadline {HOME}")
    print((__doc__ or "").split("\n\n")[-1])
    print(f"{'walk':10} {'now':>7} {'before':>7} {'told before':>12}")
    for name, (told, before) in BEFORE.items():
        found = passed(name)
        now = f"{sum(map(len, found.values()))}/{len(found)}"
        print(f"{name:10} {now:>7} {before:>7} {told:>12}", flush=True)


if __name__ == "__main__":
    main()
