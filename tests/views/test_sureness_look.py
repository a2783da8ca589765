"""One look for the three words."""

from leadline.stats.sureness import SURENESS
from leadline.views.tables import LOOKS, sureness_css, sureness_legend


def test_each_word_has_a_look_of_its_own() -> None:
    assert tuple(LOOKS) == SURENESS
    for part in ("light", "dark", "style", "mark"):
        assert len({getattr(look, part) for look in LOOKS.values()}) == len(SURENESS)


def test_the_style_has_a_class_for_each_word_on_light_and_dark() -> None:
    css = sureness_css()
    for word, look in LOOKS.items():
        assert f".sure-{word} {{ color: var(--sure-{word}); }}" in css
        assert css.index(f"--sure-{word}: {look.light};") < css.index(f"{word}: {look.dark};")
    assert css.count("{") == css.count("}")
    assert [part.partition(":")[0] for part in sureness_legend().split("; ")] == list(SURENESS)
