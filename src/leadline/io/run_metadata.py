"""ir_metadata: what a run is and how it was made, in comments at the top of its file.

The schema is that of https://www.ir-metadata.org, version 0.1, in YAML.
"""

import json
import os
import platform
import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from leadline.io.problems import InputError
from leadline.io.source import Source, read_source

BEGIN, END = "ir_metadata.start", "ir_metadata.end"
SCHEMA_VERSION = 0.1

_PLAIN = re.compile(r"[A-Za-z][\w ./-]*")
_WORDS = ("true", "false", "yes", "no", "on", "off", "null")


def metadata_text(metadata: Mapping[str, Any]) -> str:
    r"""Return the comments of a run file.

    >>> metadata_text({"tag": "mine", "method": {"automatic": True}})
    '# ir_metadata.start\n# tag: mine\n# method:\n#   automatic: true\n# ir_metadata.end\n'
    """
    lines = [BEGIN, *_yaml(metadata), END]
    return "".join(f"# {line}\n" for line in lines)


def _yaml(value: Mapping[str, Any], indent: str = "") -> list[str]:
    """Lines of YAML; a text that could be read as something else is quoted, as in JSON."""
    lines = []
    for key, item in value.items():
        if isinstance(item, Mapping | list | tuple) and not item:
            lines.append(f"{indent}{_scalar(key)}: {json.dumps(item)}")
        elif isinstance(item, Mapping):
            lines += [f"{indent}{_scalar(key)}:", *_yaml(item, f"{indent}  ")]
        elif isinstance(item, list | tuple):
            lines.append(f"{indent}{_scalar(key)}:")
            for each in item:
                if isinstance(each, Mapping):
                    first, *rest = _yaml(each, f"{indent}  ")
                    lines += [f"{indent}- {first.strip()}", *rest]
                else:
                    lines.append(f"{indent}- {_scalar(each)}")
        else:
            lines.append(f"{indent}{_scalar(key)}: {_scalar(item)}")
    return lines


def _scalar(value: Any) -> str:
    text = str(value)
    plain = isinstance(value, str) and _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    return text if plain and text == text.strip() else json.dumps(value, ensure_ascii=False)


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the ir_metadata of a run file; an empty dict if it has none.

    Needs the package pyyaml where a file has metadata.
    """
    source = read_source(path)
    lines = _header(source)
    if not lines or lines[0] != BEGIN:
        return {}
    if END not in lines:
        raise InputError.of(source.name, "metadata", f"begins with {BEGIN} but has no {END}", 1)
    try:
        import yaml
    except ModuleNotFoundError:
        raise ValueError("to read ir_metadata, install PyYAML: pip install pyyaml") from None
    try:
        found = yaml.safe_load("\n".join(lines[1 : lines.index(END)]))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 2
        message = f"has metadata that is no YAML: {getattr(error, 'problem', error)}"
        raise InputError.of(source.name, "metadata", message, line) from None
    if not isinstance(found, dict):
        raise InputError.of(source.name, "metadata", "has metadata without keys", 2)
    return found


def _header(source: Source) -> list[str]:
    """The comments at the top, without their marks."""
    lines: list[str] = []
    if not source.head.startswith(b"#"):
        return lines
    for piece in source.texts():
        for line in piece.decode("utf-8", "replace").splitlines():
            if not line.startswith("#"):
                return lines
            lines.append(line.removeprefix("#").removeprefix(" ").rstrip())
    return lines


def run_metadata(tag: str, retriever: str, command: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a run that Leadline made."""
    cpu = {"architecture": platform.machine()}
    if os.cpu_count():
        cpu["number of cores"] = os.cpu_count()  # type: ignore[assignment]
    return {
        "schema-version": SCHEMA_VERSION,
        "run-version": "1.0",
        "tag": tag,
        "platform": {
            "hardware": {"cpu": cpu},
            "operating system": {"kernel": f"{platform.system()} {platform.release()}"},
            "software": {
                "libraries": {
                    "python": [
                        f"python=={platform.python_version()}",
                        f"leadline=={version('leadline')}",
                    ]
                }
            },
        },
        "implementation": {"executable": {"cmd": command}, "source": {"lang": ["python"]}},
        "method": {"automatic": True, "retrieval": [{"name": retriever, "method": retriever}]},
        "data": {"test collection": dict(data)},
    }
