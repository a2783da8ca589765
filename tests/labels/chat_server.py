"""A server that speaks chat completions over real sockets, and misbehaves as it is told to."""

import contextlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

Pair = tuple[str, str]
KEY = "sk-never-to-be-written-anywhere-0123456789"
_WORDS = re.compile(r"The search: about (\w+).*\[(\w+)\]", re.DOTALL)


def truth(pair: Pair) -> int:
    """The grade that a server gives when it behaves."""
    return sum(map(ord, "".join(pair))) % 4


@dataclass
class Chat:
    """What the server was asked, and how it is to answer: moods by doc, one an ask, then good."""

    moods: dict[str, list[str]] = field(default_factory=dict)
    usual: str = "good"
    delay: float = 0.0
    asks: Counter[Pair] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    at_once: int = 0
    most_at_once: int = 0
    before_answer: Callable[[int], None] | None = None
    address: str = ""
    path: str = "/v1"
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopping: threading.Event = field(default_factory=threading.Event)

    def mood_for(self, pair: Pair, body: dict[str, Any]) -> tuple[str, int]:
        with self.lock:
            self.asks[pair] += 1
            self.bodies.append(body)
            left = self.moods.get(pair[1], [])
            return (left.pop(0) if left else self.usual), len(self.bodies)

    def forget(self) -> None:
        with self.lock:
            self.asks.clear()
            self.bodies.clear()
            self.keys.clear()

    def move(self) -> None:
        """To another path, and count anew: what a process that was killed sent late is no ask."""
        with self.lock:
            self.address = self.address.removesuffix(self.path)
            self.path = f"/again{self.path}"
            self.address += self.path
        self.forget()


def completion(text: str | None, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text} | more.pop("message", {})
    choice = {"index": 0, "message": message, "finish_reason": "stop"} | more
    usage = {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103}
    return {"object": "chat.completion", "choices": [choice], "usage": usage}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    chat: ClassVar[Chat]

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        chat = self.chat
        if self.path != f"{chat.path}/chat/completions":
            self.close_connection = True
            return
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "")
        found = _WORDS.search(body["messages"][0]["content"])
        assert found is not None
        pair = found[1], found[2]
        mood, number = chat.mood_for(pair, body)
        with chat.lock:
            chat.keys.add(key)
            chat.at_once += 1
            chat.most_at_once = max(chat.most_at_once, chat.at_once)
        try:
            chat.stopping.wait(chat.delay)
            if chat.before_answer is not None:
                chat.before_answer(number)
            self.behave(mood, pair, key, body)
        finally:
            with chat.lock:
                chat.at_once -= 1

    def behave(self, mood: str, pair: Pair, key: str, body: dict[str, Any]) -> None:
        grade = truth(pair)
        good = json.dumps({"grade": grade}) if "response_format" in body else f"grade: {grade}"
        said = {
            "good": completion(good),
            "malformed": completion("It seems rather relevant to me."),
            "off scale": completion("grade: 17"),
            "none": completion("grade: none"),
            "refusal": completion(None, message={"refusal": "I cannot help with that."}),
            "filter": completion(None, finish_reason="content_filter"),
            "length": completion("<think>Well, let me see", finish_reason="length"),
            "echo": completion(f"your key is {key}"),
            "no choices": {"choices": []},
            "odd choice": {"choices": [7]},
            "odd content": completion({"grade": 1}),  # type: ignore[arg-type]
            "a list": [1, 2],
            "error": {"error": {"message": "overloaded"}},
            "bare": completion(f"{grade}", logprobs=None) | {"usage": None},
            "sure": completion(
                f"grade: {grade}",
                logprobs={
                    "content": [
                        {"token": "grade", "logprob": -0.5},
                        {"token": ": ", "logprob": -0.1},
                        {"token": str(grade), "logprob": -0.25},
                    ]
                },
            ),
        }
        errors: dict[str, tuple[int, dict[str, Any], dict[str, str]]] = {
            "429": (429, {"message": "too many"}, {"Retry-After": "0"}),
            "429 in a while": (429, {"message": "too many"}, {"retry-after-ms": "150"}),
            "429 tomorrow": (429, {"message": "come back"}, {"Retry-After": "86400"}),
            "429 plain": (429, {"message": "too many"}, {}),
            "broke": (429, {"message": "no money", "code": "insufficient_quota"}, {}),
            "500": (500, {"message": "oops"}, {}),
            "401": (401, {"message": f"wrong key: {key}"}, {}),
            "403": (403, {"message": "flagged"}, {}),
            "404": (404, {"message": "no such model `m`"}, {}),
            "400": (400, {"message": "maximum context length is 10 tokens, max_tokens 5"}, {}),
            "400 filter": (400, {"message": "filtered", "code": "content_filter"}, {}),
        }
        if mood in said:
            self.send(200, json.dumps(said[mood]).encode())
        elif mood in errors:
            status, error, headers = errors[mood]
            self.send(status, json.dumps({"error": error}).encode(), headers)
        elif mood.startswith("refuses "):
            # Parameters that this server does not know.
            odd = next((name for name in mood.split()[1:] if name in body), None)
            if odd is None:
                self.behave("good", pair, key, body)
                return
            error = {"message": f"Unsupported parameter: '{odd}'", "param": odd}
            self.send(400, json.dumps({"error": error}).encode())
        elif mood == "wrong JSON":
            self.send(200, b'{"choices": [{"mess')
        elif mood == "html":
            self.send(502, b"<html>bad gateway</html>", {"Content-Type": "text/html"})
        elif mood == "redirect":
            self.send(302, b"", {"Location": "http://127.0.0.1:9/stolen"})
        elif mood == "cut":
            self.send(200, b'{"choices"', {"Content-Length": "1000"})
            self.close_connection = True
        elif mood == "closed":
            self.close_connection = True
        elif mood == "slow":
            self.chat.stopping.wait(3)
            self.behave("good", pair, key, body)
        else:
            raise AssertionError(mood)

    def send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        usual = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        for name, value in (usual | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class Listener(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is what some tests are about."""


@contextlib.contextmanager
def chatting(**how: Any) -> Iterator[Chat]:
    """A server on some free port."""
    chat = Chat(**how)
    handler = type("ThisHandler", (Handler,), {"chat": chat})
    server = Listener(("127.0.0.1", 0), handler)
    chat.address = f"http://127.0.0.1:{server.server_address[1]}{chat.path}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield chat
    finally:
        chat.stopping.set()
        server.shutdown()
        thread.join()
        # Waits for every connection's thread, so that no socket is left.
        server.server_close()


def collection(folder: Path, n_topics: int = 2, n_docs: int = 6) -> tuple[Path, list[Pair]]:
    """A folder with texts and pool.csv, and the pairs of the pool."""
    folder.mkdir(parents=True, exist_ok=True)
    topics = [f"t{number}" for number in range(1, n_topics + 1)]
    docs = [f"d{number}" for number in range(1, n_docs + 1)]
    (folder / "topics.tsv").write_text("".join(f"{topic}\tabout {topic}\n" for topic in topics))
    lines = [json.dumps({"id": doc, "text": f"words of [{doc}]"}) + "\n" for doc in docs]
    (folder / "docs.jsonl").write_text("".join(lines))
    pairs = [(topic, doc) for topic in topics for doc in docs]
    pl.DataFrame(pairs, schema=["topic", "doc"], orient="row").write_csv(folder / "pool.csv")
    return folder, pairs
