"""`leadline demo`: the whole flow, or only the collection."""

from pathlib import Path

from tests.cli.program import call, good


def test_demo_ends_with_what_it_wrote(tmp_path: Path) -> None:
    result = good(call("demo", "-o", tmp_path / "demo"))
    written = sorted((tmp_path / "demo").iterdir())
    assert written
    # A long path may be broken at the edge of the page.
    flat = "".join(result.out.split())
    for file in written:
        assert str(file) in flat
    assert "greyness-fusion" in result.out
    assert "\nLabels by BM25 scores" in result.out
    assert "\nbm25: labels favour run dunholm-untidy: +" in result.out


def test_copy_writes_the_collection_and_says_what_to_try(tmp_path: Path) -> None:
    folder = tmp_path / "sea"
    result = good(call("demo", "--copy", folder))
    assert f"leadline evaluate {folder}" in result.out
    assert good(call("evaluate", folder, "-m", "P@5")).rows()
    assert call("demo", "--copy", folder).code == 2
