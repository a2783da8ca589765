"""One look for the three words."""

from leadline.stats.certainty import CERTAINTY
from leadline.views.tables import LOOKS, certainty_css, certainty_legend


def test_each_word_has_a_look_of_its_own() -> None:
    assert tuple(LOOKS) == CERTAINTY
    for part in ("light", "dark", "style", "mark"):
        assert len({getattr(look, part) for look in LOOKS.values()}) == len(CERTAINTY)


def test_the_style_has_a_class_for_each_word_on_light_and_dark() -> None:
    css = certainty_css()
    for word, look in LOOKS.items():
        assert f".certainty-{word} {{ color: var(--certainty-{word}); }}" in css
        assert css.index(f"--certainty-{word}: {look.light};") < css.index(f"{word}: {look.dark};")
    assert css.count("{") == css.count("}")
    assert [part.partition(":")[0] for part in certainty_legend().split("; ")] == list(CERTAINTY)
