"""Whatever the OpenAPI description allows, and much that it does not: never a server error."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.server import serving, tokens

CHECKS = ",".join(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    ]
)


ROLES: dict[str, dict[str, str]] = {
    "organiser": {"role": "organiser"},
    "assessor": {"role": "assessor"},
    "machine": {"role": "assessor", "kind": "machine"},
}


def besiege(project: Path, who: str, examples: int) -> None:
    secrets = tokens(project, [who], **ROLES[who])
    with serving(project, "--rate", "100000") as server:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run"),
                f"{server.address}/api/openapi.json",
                *("--header", f"Authorization: Bearer {secrets[who]}"),
                *("--exclude-path", "/api/events", "--checks", CHECKS),
                *("--max-examples", str(examples), "--seed", "1", "--request-timeout", "60"),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=project.parent,
        )
        assert "Traceback" not in server.said(), server.said()[-3000:]
        assert server.process.poll() is None, "the server has ended"
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_nothing_that_is_sent_is_a_server_error(project: Path) -> None:
    besiege(project, "organiser", 3)


@pytest.mark.slow
@pytest.mark.parametrize("who", ROLES)
def test_nothing_of_much_that_is_sent_is_a_server_error(project: Path, who: str) -> None:
    besiege(project, who, 150)
