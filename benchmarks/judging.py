"""The judging app under load: so many assessors at a steady pace, on loopback, for a while.

Prints the percentiles of judge-and-next (one request, one answer with the next document) and the
server's memory over time. Every assessor sends at fixed times whatever the last answer took, so a
slow answer delays nobody else's clock and shows in full.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from benchmarks.disturbing import write_long_document
from benchmarks.light_client import LightClient
from benchmarks.process import environment, module
from benchmarks.proxy import nginx

TREC_8 = "../shared/data/trec8_adhoc/runs"
GOLD = 60
"""Gold questions among the pairs of a pool."""

DISTURBED = (
    "through nginx, with 1,000 slow bodies, 1,000 slow readers, 580 wrong passwords, "
    "bodies of 100 MB and a title of 30 MB at once"
)


@dataclass
class Load:
    """What was measured: seconds of every answer, memory in MB by second, what went wrong."""

    answers: list[float] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    events: int = 0
    shown: list[tuple[float, int, int]] = field(default_factory=list)
    behind: dict[str, float] = field(default_factory=dict)
    cpu: float = 0.0
    own_cpu: float = 0.0

    def percentile(self, share: float) -> float:
        """Milliseconds within which this share of the answers came."""
        ordered = sorted(self.answers)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def lines(self) -> list[str]:
        """The findings as text."""
        shown = " ".join(
            f"{int(100 * s)}%: {self.percentile(s):.1f} ms" for s in (0.5, 0.9, 0.95, 0.99)
        )
        every = max(1, len(self.memory) // 8)
        memory = " ".join(f"{at:.0f}s:{mb:.0f}" for at, mb in self.memory[::every])
        return [
            f"{len(self.answers):,} judgments, {shown} worst: {self.percentile(1):.0f} ms",
            f"memory in MB {memory} end:{self.memory[-1][1]:.0f}",
            f"events to the organiser: {self.events}; processor time of the server "
            f"{self.cpu:.0f} s, of the clients {self.own_cpu:.0f} s; "
            f"went wrong: {len(self.wrong)} {self.wrong[:3]}",
            *(
                f"{what} on the organiser's page: at most {seconds:.2f} s behind the ledger"
                for what, seconds in self.behind.items()
            ),
        ]


def resident_mb(pid: int) -> float:
    """Memory that a process holds now."""
    fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def processor_seconds(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def assess(
    client: LightClient, number: int, begin: float, seconds: float, pace: float, load: Load
) -> None:
    """One assessor at work."""
    chance = random.Random(number)
    _, turn = await client.post("/api/next")
    due = begin + chance.random() * pace
    while due < begin + seconds:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        document = turn["assignment"]
        if document is None:
            _, turn = await client.post("/api/next")
            due += pace
            continue
        body = {
            "topic": document["topic"],
            "doc": document["doc"],
            "grade": int(chance.random() < 0.1),
            "seconds": pace,
        }
        status, turn = await client.post("/api/judgments", body)
        load.answers.append(time.perf_counter() - due)
        if status != 200:
            load.wrong.append(f"{status} {str(turn)[:100]}")
            _, turn = await client.post("/api/next")
        due = max(due + pace, time.perf_counter() - pace)


async def watch(client: "object", load: Load) -> None:
    """An organiser who looks on all the time."""
    import httpx

    assert isinstance(client, httpx.AsyncClient)
    async with client.stream("GET", "/api/events", timeout=None) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("data:"):
                now = json.loads(line[5:])
                gold = sum(each["answered"] for each in now["gold"])
                load.events += 1
                load.shown.append((time.time(), now["agreement"]["alpha_pairs"], gold))


def most_behind(shown: list[tuple[float, int]], changes: list[float], end: float) -> float:
    """Return the longest time for which a page showed a count that the ledger had left behind.

    `shown` are the times of its changes and the counts, `changes` when the ledger's count rose by
    one each.

    >>> most_behind([(0.0, 0), (3.0, 1), (9.0, 3)], [1.0, 5.0, 6.0], 10.0)
    4.0
    """
    worst = 0.0
    ends = [at for at, _ in shown[1:]] + [end]
    for (_, count), until in zip(shown, ends, strict=True):
        if count < len(changes):
            worst = max(worst, until - changes[count])
    return worst


def seconds_behind(load: Load, folder: Path, end: float) -> dict[str, float]:
    """Return how far agreement and gold answers on the page were behind the ledger at most."""
    with sqlite3.connect(folder / "judgments.sqlite") as raw:
        judged = raw.execute(
            "SELECT topic, doc, who, time FROM entry WHERE act = 'judge' AND kind = 'person' "
            "ORDER BY id"
        ).fetchall()
        gold = raw.execute("SELECT time FROM gold_answer ORDER BY id").fetchall()
    raw.close()
    people: dict[tuple[str, str], set[str]] = {}
    several = []
    for topic, doc, who, when in judged:
        said = people.setdefault((topic, doc), set())
        said.add(who)
        if len(said) == 2:
            several.append(datetime.fromisoformat(when).timestamp())
    answers = [datetime.fromisoformat(when).timestamp() for (when,) in gold]
    return {
        "agreement": most_behind([(at, n) for at, n, _ in load.shown], several, end),
        "gold answers": most_behind([(at, n) for at, _, n in load.shown], answers, end),
    }


async def run(
    address: str,
    pid: int,
    tokens: list[str],
    seconds: float,
    pace: float,
    long: tuple[str, str] | None = None,
    folder: Path | None = None,
    gold: str = "",
) -> Load:
    """Everybody at once for so long; `long` is a pair to disturb them with.

    With a `folder`, what the page shows is compared with its ledger. `gold` are gold questions.
    """
    import httpx

    load = Load()
    port = int(address.rsplit(":", 1)[1])
    organiser = httpx.AsyncClient(
        base_url=address, headers={"Authorization": f"Bearer {tokens[0]}"}, timeout=60
    )
    if gold:
        made = await organiser.post("/api/gold/several", json={"text": gold})
        assert made.status_code == 200, made.text
    clients = [LightClient(port, token) for token in tokens[1:]]
    begin = time.perf_counter() + 1
    looking = [asyncio.create_task(watch(organiser, load))]
    disturbing = None
    if long is not None:
        command = module("benchmarks.disturbing", str(port), tokens[0], *long)
        disturbing = subprocess.Popen(command, env=environment())
    work = [
        asyncio.create_task(assess(client, number, begin, seconds, pace, load))
        for number, client in enumerate(clients)
    ]
    before, mine = processor_seconds(pid), time.process_time()
    while not all(task.done() for task in work):
        load.memory.append((time.perf_counter() - begin, resident_mb(pid)))
        await asyncio.sleep(1)
    await asyncio.gather(*work)
    if folder is not None:
        load.behind = seconds_behind(load, folder, time.time())
    load.cpu, load.own_cpu = processor_seconds(pid) - before, time.process_time() - mine
    if disturbing is not None:
        if disturbing.poll() is not None:
            load.wrong.append(f"nobody disturbed any more: exit {disturbing.returncode}")
        disturbing.kill()
        disturbing.wait()
    for task in looking:
        # Whoever looks on goes on to the end, or has something to tell.
        if task.done() and task.exception() is not None:
            load.wrong.append(repr(task.exception())[:200])
        task.cancel()
    await asyncio.gather(*looking, return_exceptions=True)
    await organiser.aclose()
    for client in clients:
        client.close()
    return load


def bench(
    runs: str,
    assessors: int,
    seconds: float,
    pace: float,
    order: str,
    per: int,
    *,
    disturbed: bool = False,
    pool: str = "",
) -> Load:
    """The server in a process of its own, on a project over these runs, or over a pool of them."""
    import leadline
    from leadline.app.accounts import Accounts
    from leadline.app.database import Database, sqlite_url
    from leadline.app.opening import DATABASE
    from leadline.judging.project import BINARY, Project, write_project

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        long = None
        if disturbed:
            pairs = leadline.read(None, runs).runs.pairs
            long = pairs.name(0)
            write_long_document(folder, *long)
        gold = ""
        if pool:
            collection = Path(runs).parent
            pooled = leadline.pool(str(collection), strategy=pool, use_judgments=False)
            pooled.write(folder / "pool.csv")
            asked = pooled.frame.sample(GOLD, seed=1, shuffle=True).select("topic", "doc").rows()
            gold = "\n".join(f"{topic} {doc} 0" for topic, doc in asked)
        project = Project(
            pool="pool.csv" if pool else "",
            runs=str(Path(runs).absolute()),
            topics="topics.tsv" if disturbed else "",
            documents="docs.jsonl" if disturbed else "",
            order=order,
            stop="",
            assessors_per_document=per,
            grades=BINARY,
        )
        write_project(folder, project)
        held = Database(sqlite_url(folder / DATABASE))
        accounts = Accounts(held)
        tokens = [accounts.token(accounts.add("organiser", "organiser"))]
        tokens += [accounts.token(accounts.add(f"a{n}", "assessor")) for n in range(assessors)]
        held.close()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = ("--port", str(port), "--accounts", "--outside")
        command, front = module("leadline", "judge", str(folder), *options), port
        if disturbed:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                front = free.getsockname()[1]
            reached = f"http://localhost:{front}"
            command += ["--address", reached, "--behind-proxy", "127.0.0.1"]
        server = subprocess.Popen(
            command, env=environment(), stdout=subprocess.PIPE, stderr=sys.stderr, text=True
        )
        try:
            assert server.stdout is not None
            while "Ctrl-C" not in server.stdout.readline():
                if server.poll() is not None:
                    raise SystemExit("the server has ended")
            address = f"http://127.0.0.1:{front}"
            proxy = nginx(folder / "nginx", front, port) if disturbed else nullcontext("")
            with proxy:
                where = folder if pool else None
                parts = run(address, server.pid, tokens, seconds, pace, long, where, gold)
                return asyncio.run(parts)
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate()


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", default=TREC_8, help="a folder of runs; TREC-8's")
    parser.add_argument("--assessors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pace", type=float, default=1.0, help="seconds between two judgments")
    parser.add_argument("--order", default="MoffatC(p=0.8)")
    parser.add_argument("--per-document", type=int, default=1)
    parser.add_argument("--pool", default="", help="judge this pool of a collection's runs")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    kinds = ((False, "undisturbed"), (True, DISTURBED))
    for disturbed, what in kinds[:1] if asked.pool else kinds:
        load = bench(
            asked.runs,
            asked.assessors,
            asked.seconds,
            asked.pace,
            asked.order,
            asked.per_document,
            disturbed=disturbed,
            pool=asked.pool,
        )
        print(f"{asked.assessors} assessors, {what}", flush=True)
        print(json.dumps(vars(load)) if asked.json else "\n".join(load.lines()), flush=True)


if __name__ == "__main__":
    main()
