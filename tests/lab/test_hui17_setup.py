"""What hui17 stands on: lists, subtopics and texts of one collection."""

from pathlib import Path

import numpy as np
import pytest

from leadline.api.evaluate import evaluate
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError
from leadline.lab.papers.hui17_plan import CONDENSED, ESTABLISHED, forget, hui17_setup, means

FOLDER = str(COLLECTION)


def test_with_all_judgments_the_scores_are_those_of_evaluate() -> None:
    on = hui17_setup(FOLDER)
    names = [str(each) for each in (*ESTABLISHED, *CONDENSED)]
    scores = evaluate(COLLECTION, None, names).scores
    theirs = np.stack([scores[name].mean() for name in names])
    assert means((*ESTABLISHED, *CONDENSED), on.lists) == pytest.approx(theirs, abs=1e-12)


def test_a_collection_without_documents_or_subtopics_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text("1 Q0 d 1 1 x\n")
    (tmp_path / "qrels.ndeval.txt").write_text("1 1 d 1\n1 2 d 1\n")
    with pytest.raises(InputError, match="has no documents"):
        hui17_setup(str(tmp_path))
    (tmp_path / "qrels.ndeval.txt").write_text("1 0 d 1\n")
    with pytest.raises(InputError, match="has no subtopics"):
        hui17_setup(str(tmp_path))


def test_without_a_document_its_judgment_is_unknown() -> None:
    on = hui17_setup(FOLDER)
    docs = np.ones(len(on.relevant), np.bool_)
    assert (on.judged_only(docs).judged == on.lists.judged).all()
    assert not on.judged_only(~docs).judged.any()
    gone = int(np.flatnonzero(on.relevant)[0])
    docs[gone] = False
    assert on.lists.in_subtopics is not None
    lost = on.lists.judged & ~on.judged_only(docs).judged
    assert set(on.lists.in_subtopics[lost].tolist()) <= {gone}


def test_smoothing_for_short_texts_follows_their_length() -> None:
    on = hui17_setup(FOLDER)
    mean = on.words.count.sum() / (len(on.words.start) - 1)
    assert on.short.mu == round(3 * mean)
    assert not on.short.clip


def test_what_was_read_is_kept_until_it_is_forgotten() -> None:
    first = hui17_setup(FOLDER)
    assert hui17_setup(FOLDER) is first
    forget()
    assert hui17_setup(FOLDER) is not first
