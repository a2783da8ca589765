"""Images: only from their folder, only what is one, only so large."""

from pathlib import Path

import pytest

from leadline.judging import library as images
from leadline.judging.library import kind_of, read_image

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 20


def test_an_image_is_known_by_its_beginning_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(PNG)
    assert read_image(tmp_path, "in/a.txt").kind == "image/png"
    assert kind_of(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert kind_of(b"RIFF1234WEBPVP8 ") == "image/webp"
    assert kind_of(b"RIFF1234AVI ") is None
    for evil in (b"<svg onload=alert(1)>", b"<html>", b"%PDF-1.7", b""):
        (tmp_path / "evil.png").write_bytes(evil)
        with pytest.raises(ValueError, match="no image"):
            read_image(tmp_path, "evil.png")


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    home = tmp_path / "images"
    home.mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (home / "link.png").symlink_to(tmp_path / "secret.png")
    outside = ["../secret.png", str(tmp_path / "secret.png"), "link.png", ".", "", "no", "a\0b"]
    for name in [*outside, "x" * 5000]:
        with pytest.raises(ValueError, match="not there"):
            read_image(home, name)


def test_a_large_one_is_said_to_be_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "LARGEST", len(PNG) - 1)
    (tmp_path / "a.png").write_bytes(PNG)
    with pytest.raises(ValueError, match="larger than"):
        read_image(tmp_path, "a.png")
