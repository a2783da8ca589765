"""A project's rules are read where no database is installed: labelling needs its scale only."""

import subprocess
import sys

BLOCKED = """
import sys
sys.modules["sqlalchemy"] = None
from leadline.judging.project import Project
print(Project().rules.grades)
"""


def test_they_need_no_database() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=False
    )
    assert done.stdout == "(0, 1, 2, 3)\n", done.stderr
