"""A pytest plug-in: fail a test if a new run is worse than its baseline.

pytest loads the plug-in where Leadline is installed. `assert_not_worse` is a function; the fixture
`leadline_gate` calls it with the defaults of pytest's configuration file, writes the figures to
JUnit's XML and the verdict to the summary at the end.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, get_args

import pytest

if TYPE_CHECKING:
    from leadline.api.gate import GateResult

Undecided = Literal["skip", "fail", "pass"]
"""What becomes of a test whose gate is undecided."""

SETTINGS = {
    "leadline_collection": "collection folder, relative to the folder of the configuration file",
    "leadline_baseline": "baseline of leadline_gate: a name, or a file relative to that folder",
    "leadline_undecided": "what an undecided gate does to a test: skip (default), fail or pass",
}
PROPERTY = "leadline"
"""How the names of properties in JUnit's XML begin."""


def assert_not_worse(
    qrels: Any,
    runs: Any = None,
    *,
    baseline: Any,
    new: Any,
    undecided: Undecided = "skip",
    **options: Any,
) -> "GateResult":
    """Return what `leadline.gate` finds; an AssertionError if the new run is worse.

    qrels, runs, baseline, new: as for `leadline.gate`.
    undecided: whether a test whose gate is undecided is skipped, fails or passes.
    options: of `leadline.gate`, such as measures, margin or unjudged_as.

    >>> from leadline.io.datasets import COLLECTION
    >>> assert_not_worse(COLLECTION, baseline="anstey-bm25", new="corran-lsa60").verdict
    'not_worse'
    """
    __tracebackhide__ = True
    import leadline

    _check_choice(undecided)
    return _decided(leadline.gate(qrels, runs, baseline=baseline, new=new, **options), undecided)


def _check_choice(undecided: str) -> None:
    if undecided not in get_args(Undecided):
        raise ValueError(f"`undecided` must be skip, fail or pass, not {undecided!r}")


def _decided(result: "GateResult", undecided: Undecided) -> "GateResult":
    __tracebackhide__ = True
    said = "\n".join(_sentences(result))
    if result.exit_code == 1 or (result.exit_code == 3 and undecided == "fail"):
        raise AssertionError(said)
    if result.exit_code == 3 and undecided == "skip":
        pytest.skip(said)
    return result


def _sentences(result: "GateResult") -> list[str]:
    from leadline.views.gate import sentences

    lines = sentences(result.outcome)
    documents = result.documents.head(5).select("topic", "doc").iter_rows()
    first = "; ".join(f"{topic} {doc}" for topic, doc in documents)
    return [*lines, f"judge first (topic and document): {first}"] if first else lines


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings."""
    for name, text in SETTINGS.items():
        parser.addini(name, f"Leadline: {text}.", default="")


@pytest.fixture
def leadline_gate(request: pytest.FixtureRequest) -> Callable[..., "GateResult"]:
    """Test a run as `assert_not_worse` does: `leadline_gate(new=RUN)`.

    The settings leadline_collection, leadline_baseline and leadline_undecided are the defaults.
    """
    config = request.config

    def setting(name: str) -> str:
        value = str(config.getini(f"leadline_{name}"))
        path = config.rootpath / value
        return str(path) if value and path.exists() else value

    def check(qrels: Any = None, runs: Any = None, *, new: Any, **options: Any) -> "GateResult":
        __tracebackhide__ = True
        import leadline
        from leadline.views.gate import row_sentence

        given = {"collection": qrels, "baseline": options.pop("baseline", None)}
        for name in given:
            given[name] = setting(name) if given[name] is None else given[name]
            if isinstance(given[name], str) and not given[name]:
                raise ValueError(f"give a {name}, or set leadline_{name} in pytest's configuration")
        undecided: Any = options.pop("undecided", None) or setting("undecided") or "skip"
        _check_choice(undecided)
        result = leadline.gate(
            given["collection"], runs, baseline=given["baseline"], new=new, **options
        )
        outcome = result.outcome
        for row in result.rows:
            figures = f"{outcome.new} against {outcome.baseline}: {row_sentence(row, outcome)}"
            # Not by record_property, which warns about the usual family of JUnit's XML.
            name = f"{PROPERTY} {row.measure}, {row.slice}"
            request.node.user_properties.append((name, figures))
        return _decided(result, undecided)

    return check


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what each gate of the fixture found; nothing without any."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    lines = [
        f"{report.nodeid}: {name.removeprefix(PROPERTY).strip()}: {value}"
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name.startswith(PROPERTY)
    ]
    if lines:
        terminalreporter.section("leadline gate")
        for line in lines:
            terminalreporter.write_line(line)
