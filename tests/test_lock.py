"""The fixed versions of the app's deployment are those that the project asks for, with hashes."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "deploy" / "requirements.txt").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked() -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", LOCK, re.MULTILINE))


def test_every_dependency_is_locked_within_its_bounds() -> None:
    extras = PROJECT["optional-dependencies"]
    found = {canonicalize_name(name): version for name, version in locked().items()}
    for text in (*PROJECT["dependencies"], *extras["web"], *extras["oidc"]):
        wanted = Requirement(text)
        version = found[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version), f"{text}: {version}; run make lock"


def test_every_version_has_hashes_and_no_host_is_named() -> None:
    blocks = re.split(r"^(?=[\w.-]+==)", LOCK, flags=re.MULTILINE)[1:]
    assert len(blocks) >= len(locked()) > 20
    assert all("--hash=sha256:" in block for block in blocks)
    assert "://" not in LOCK
