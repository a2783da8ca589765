"""What is freed is kept for the next piece, where the C library can be asked to."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource
from threading import Thread
from leadline.io.parallel import keep_freed_memory
if {kept}:
    keep_freed_memory()
def work():
    for _ in range(50):
        held = [b"x" * (n << 20) for n in (1, 3, 6, 9)]
worker = Thread(target=work)
worker.start()
worker.join()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


def faults(kept: bool) -> int:
    """Pages that the system had to make for fifty pieces of 19 MB, one after the other."""
    program = [sys.executable, "-c", PROGRAM.format(kept=kept)]
    return int(subprocess.run(program, check=True, capture_output=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="asks the GNU C library")
def test_pages_are_made_once_and_not_for_every_piece() -> None:
    assert 5 * faults(kept=True) < faults(kept=False)
