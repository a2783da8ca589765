"""A command `leadline` for shells that starts in no time: the program is loaded once, then forked.

Most of the second that a small command takes goes into loading libraries. The command hands its
words, folder, environment and streams to a process that has them loaded, waits, and ends as the
fork of that process ended. Signals to the command go to the fork.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cli.program import environment

SERVER = """
import contextlib, importlib, json, os, signal, socket, sys, tempfile
place, folder = sys.argv[1:]
from leadline.cli import app

def begin(line, asked, streams):
    end = os._exit

    def told(code):
        sys.stdout.flush()
        sys.stderr.flush()
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            json.dump(list(sys.modules), file)
        os.rename(file.name, os.path.join(folder, "modules"))
        line.sendall(b"ended %d\\n" % code)
        end(code)

    for target, source in enumerate(streams):
        os.dup2(source, target)
        os.close(source)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    for number, name, errors in ((1, "stdout", "strict"), (2, "stderr", "backslashreplace")):
        at_once = number == 2 or os.isatty(number)
        stream = open(number, "w", errors=errors, closefd=False, buffering=1 if at_once else -1)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[:] = ["leadline", *asked["words"]]
    os._exit = told
    app.program()

with socket.socket(socket.AF_UNIX) as door:
    door.bind(place)
    door.listen(16)
    print("open", flush=True)
    while True:
        line, _ = door.accept()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        # What the last command needed is there for the next.
        with contextlib.suppress(OSError), open(os.path.join(folder, "modules")) as file:
            for name in set(json.load(file)) - set(sys.modules):
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
        said, streams, _, _ = socket.recv_fds(line, 16, 3)
        while not said.endswith(b"\\n"):
            said += line.recv(1 << 16)
        child = os.fork()
        if child == 0:
            door.close()
            begin(line, json.loads(said), streams)
        line.sendall(b"%d\\n" % child)
        line.close()
        for stream in streams:
            os.close(stream)
"""

COMMAND = """#!{python} -IS
import json, os, signal, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({place!r})
asked = {{"words": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
socket.send_fds(line, [b" "], [0, 1, 2])
line.sendall(json.dumps(asked).encode() + b"\\n")
heard = line.makefile()
child = int(heard.readline())
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: os.kill(child, number))
end = heard.readline()
# A process that was killed says nothing.
os._exit(int(end.split()[1]) if end else 128 + signal.SIGKILL)
"""


class Served:
    """While it is open there is a folder for PATH with the command `leadline`."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        place = Path(self._folder.name)
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(place / "door"), str(place)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"open\n"
        self.folder = place / "bin"
        self.folder.mkdir()
        command = self.folder / "leadline"
        command.write_text(COMMAND.format(python=sys.executable, place=str(place / "door")))
        command.chmod(0o755)
        return self

    @property
    def path(self) -> str:
        """The variable PATH with the command before all others."""
        beside = Path(sys.executable).parent
        return os.pathsep.join((str(self.folder), str(beside), os.environ["PATH"]))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()
