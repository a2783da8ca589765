"""A real PostgreSQL server in a folder, on a port of its own, run by somebody who is not root."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from tests.app.server import free_port


def programs() -> Path | None:
    """Where the server's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def can_run_postgres() -> bool:
    if programs() is None:
        return False
    if os.name != "posix":
        return True
    import pwd

    try:
        return os.geteuid() != 0 or bool(pwd.getpwnam("postgres"))
    except KeyError:
        return False


class Postgres:
    def __init__(self) -> None:
        # Not pytest's folder: that is closed to everybody else, and the server is somebody else.
        self.folder, self.port = Path(tempfile.mkdtemp(prefix="leadline-pg-")), free_port()
        found = programs()
        assert found is not None
        self.bin = found

    def _run(self, *command: object) -> None:
        typed = [str(each) for each in command]
        if os.geteuid() == 0:
            # It refuses to run as root, and so should it.
            typed = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *typed]
        done = subprocess.run(typed, capture_output=True, text=True, cwd="/", check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def __enter__(self) -> "Postgres":
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder / "data"
        self._run(self.bin / "initdb", "-D", data, "-U", "leadline", "-A", "trust", "--no-sync")
        self.start()
        return self

    def start(self) -> None:
        options = f"-p {self.port} -h 127.0.0.1 -k {self.folder}"
        log, data = self.folder / "log", self.folder / "data"
        self._run(self.bin / "pg_ctl", "-D", data, "-l", log, "-o", options, "-w", "start")

    def stop(self) -> None:
        """As a power cut would."""
        self._run(self.bin / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")

    def processes(self) -> list[int]:
        """The server and all that it has started."""
        first = int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return [first, *map(int, children)]

    def database(self, name: str) -> str:
        """The URL of a new database."""
        where = ("-h", "127.0.0.1", "-p", self.port, "-U", "leadline")
        self._run(self.bin / "createdb", *where, name)
        return f"postgresql://leadline@127.0.0.1:{self.port}/{name}"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
