"""The same targets under atheris, which goes on from inputs that reach new code of Leadline.

Each target has a process of its own, because libFuzzer never comes back.
"""

import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.campaign import HANG, MEMORY, Findings
from tests.fuzz.mutate import LONGEST, WORDS
from tests.fuzz.target import CORPUS, TARGETS, Target

ROOMS = ("fields", "ledgers", "names", "options", "settings", "tables", "verbs")


def guided(chosen: list[Target], n_inputs: int, seconds: float, seed: int) -> Iterator[Findings]:
    """What each target found, one after the other, inputs by their shares and time evenly."""
    shares = sum(each.share for each in chosen)
    for each in chosen:
        n = max(1, n_inputs * each.share // shares)
        yield _one(each, n, max(1, int(seconds / len(chosen))), seed + 1)


def _one(target: Target, n_inputs: int, seconds: int, seed: int) -> Findings:
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        new, words, found = (Path(folder) / name for name in ("corpus", "words", "found.json"))
        new.mkdir()
        words.write_text("".join(f'"{_quoted(word)}"\n' for word in WORDS if len(word) < 60))
        options = {
            "runs": min(n_inputs, 2**31 - 1),
            "max_total_time": seconds,
            "seed": seed,
            "timeout": HANG,
            "rss_limit_mb": MEMORY >> 20,
            "max_len": LONGEST,
            "dict": words,
            "artifact_prefix": f"{folder}/died-",
            "print_final_stats": 1,
            "verbosity": 0,
        }
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.fuzz.guided", target.name, str(found)),
                *(f"-{name}={value}" for name, value in options.items()),
                *(str(new), *(str(CORPUS / name) for name in target.seeds)),
            ],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        findings = Findings(target.name)
        if found.exists():
            for what, (data, told) in json.loads(found.read_text()).items():
                findings.found[what], findings.told[what] = bytes.fromhex(data), told
        stats = [line.split() for line in done.stderr.splitlines() if line.startswith("stat::")]
        counts = {name: int(value) for name, value in stats}
        findings.n_inputs = counts.get("stat::number_of_executed_units:", 0)
        if done.returncode != 0:
            what = f"atheris ended with {done.returncode}"
            died = [path.read_bytes() for path in Path(folder).glob("died-*")]
            findings.found[what] = next(iter(died), b"")
            findings.told[what] = done.stderr[-200:]
        findings.seconds = time.monotonic() - begin
        return findings


def _quoted(word: bytes) -> str:
    """A word as libFuzzer's dictionaries write it."""
    return "".join(f"\\x{byte:02x}" for byte in word)


def main() -> None:
    """Never returns: the last arguments are libFuzzer's."""
    import atheris

    name, found = sys.argv[1], Path(sys.argv[2])
    with atheris.instrument_imports(include=["leadline"]):
        for room in ROOMS:
            importlib.import_module(f"tests.fuzz.{room}")
    from tests.fuzz.campaign import told

    target = TARGETS[name]
    kept: dict[str, tuple[str, str]] = {}

    def check(data: bytes) -> None:
        try:
            target.check(data)
        except BaseException as error:
            what, text = told(error)
            if what not in kept:
                kept[what] = data.hex(), text
                found.write_text(json.dumps(kept))

    atheris.Setup([sys.argv[0], *sys.argv[3:]], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
