"""The fixed versions of the app's deployment are those that the project asks for, with hashes."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

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


FIXED = {
    "starlette": "0.49.1",  # CVE-2025-62727
    "h11": "0.16",  # CVE-2025-43859
    "jinja2": "3.1.6",  # CVE-2025-27516
    "authlib": "1.6.6",  # CVE-2025-68158
    "joserfc": "1.4.2",  # CVE-2025-65015
}
"""The versions in which known faults of the app's packages were mended."""


def test_lower_bounds_are_without_known_faults() -> None:
    extras = PROJECT["optional-dependencies"]
    asked = (*PROJECT["dependencies"], *extras["web"], *extras["oidc"])
    wanted = {each.name: each for each in map(Requirement, asked)}
    for name, version in FIXED.items():
        [lowest] = [each.version for each in wanted[name].specifier if each.operator == ">="]
        assert Version(lowest) >= Version(version), f"{name}: {version} mends a known fault"
