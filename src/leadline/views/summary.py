"""The first screen: who is best, how sure that is, and what to judge, in plain words."""

import numpy as np
from markupsafe import Markup

from leadline.data.scores import SCORE_NOISE
from leadline.io.topics import Texts
from leadline.judging.certain_winner import WorthJudging
from leadline.stats.board import Board
from leadline.stats.certainty import CERTAINTY, Certainty
from leadline.views.page import amount, by_measure, part_of_page

HOW_SURE = "How certain is that?"
NAMED = 3
"""So many runs are named; more are counted."""


def summary(boards: list[Board], worth: WorthJudging, texts: Texts) -> Markup:
    """For each measure the best run and how sure that is, then what to judge, as HTML."""
    answers = by_measure(
        (board.scores.measure, Markup().join(_answer(*each) for each in answers_of(board)))
        for board in boards
    )
    next_ = _answer(*to_judge(worth, texts), link="next")
    return Markup('<div class="summary">{}{}</div>').format(answers, next_)


def answers_of(board: Board) -> list[tuple[str, str, str]]:
    """(question, answer in a word or two, the sentence behind it) by one measure."""
    best = int(board.order[0])
    if np.isnan(board.mean[best]):
        words = f"{board.scores.measure} is undefined for every run: no relevant document is known."
        return [("Who is best?", "not known", words)]
    answers = [("Who is best?", _best(board), _score(board))]
    if board.rivals is not None:
        answers.append((HOW_SURE, *_sure(board)))
    if board.level_with_leader is not None:
        answers.append(("Statistically significant?", *_significant(board)))
    return answers


def to_judge(worth: WorthJudging, texts: Texts) -> tuple[str, str, str]:
    """(question, the first document, why) of what to judge next."""
    question = "What to judge next?"
    if not worth.pairs:
        return question, "nothing", nothing_to_judge(worth)
    first = worth.pairs[0]
    query = texts.topics.get(first.topic, ("", ""))[0]
    topic = f"topic {first.topic}" + (f" ({query})" if query else "")
    why = f"tells most about which run is best by {worth.measure}"
    if not worth.decides:
        given = " while ideals stay as they are" if worth.by_ideals else ""
        why = (
            f"narrows the bounds of {worth.measure} most; it cannot change which run is best by "
            f"that measure{given}"
        )
    more = len(worth.pairs) - 1
    rest = f" {amount(more, 'more document')} below." if more else ""
    return question, first.doc, f"For {topic}: its judgment {why}.{rest}"


def nothing_to_judge(worth: WorthJudging) -> str:
    """Why there is nothing to judge next."""
    if not worth.n_unjudged:
        return "Every document that a run returns was judged."
    return (
        f"{amount(worth.n_unjudged, 'returned document')} not judged, all at ranks that have no "
        "weight in these measures."
    )


def _answer(question: str, answer: str, words: str, link: str = "") -> Markup:
    kind = f"certainty-{answer}" if answer in CERTAINTY and question == HOW_SURE else ""
    return part_of_page("answer", question, answer, words, link, kind)


def _best(board: Board) -> str:
    best = int(board.order[0])
    equal = int((board.mean >= board.mean[best] - 1e-12).sum())
    name = board.scores.runs[best]
    return name if equal == 1 else f"{name} and {amount(equal - 1, 'equal', 'equals')}"


def _score(board: Board) -> str:
    best = int(board.order[0])
    words = f"It has the highest {board.scores.measure}, {board.mean[best]:.4f}"
    if board.estimated:
        words += f" (estimated by {board.scores.obtained})"
    if not board.has_interval:
        return f"{words}. This measure has no bounds for unjudged documents."
    low, high = board.lower[best], board.upper[best]
    if high - low <= SCORE_NOISE:
        return f"{words}; no unjudged document can change that."
    words += f"; with all documents judged it would be between {low:.4f} and {high:.4f}."
    if board.anytime is not None:
        low, high = board.anytime.lower[best], board.anytime.upper[best]
        words += f" The sample narrows that to {low:.4f} and {high:.4f} (95%, anytime-valid)."
    return words


def _sure(board: Board) -> tuple[Certainty, str]:
    """Whether the leader is certain, likely or open to be best on these topics, and why."""
    rivals, outlook = board.rivals, board.outlook
    assert rivals is not None
    if not len(rivals):
        return "certain", "No judgment of a listed document can put another run above it."
    named = _names(board, rivals.tolist())
    words = f"Judging could still put {named} above it."
    if board.all_judged:
        words = (
            "Every listed document was judged, but the bounds do not rule out that relevant "
            f"documents that no run returns put {named} above it."
        )
    elif not board.exact_bounds:
        words = f"The bounds do not rule out that judging puts {named} above it."
    if outlook is None:
        return "open", words
    until = f"{amount(outlook.to_certain, 'judgment')} until it is certain"
    chance = outlook.chance_of_leader
    if outlook.leader != int(board.order[0]):
        name = board.scores.runs[outlook.leader]
        words += f" A model of the judgments expects {name} to be best: {chance}."
    elif outlook.certainty == "likely":
        return "likely", (
            f"By a model of the judgments, {chance}. {words} About {until} (forecast)."
        )
    likely = f"{amount(outlook.to_likely, 'judgment')} until the best run is likely, "
    return "open", f"{words} About {likely if outlook.to_likely else ''}{until} (forecast)."


def _significant(board: Board) -> tuple[str, str]:
    level, pairs = board.level_with_leader, board.pairwise
    assert level is not None
    assert pairs is not None
    how = pairs.test + (f", {pairs.correction}" if pairs.correction != "none" else "")
    if np.isnan(pairs.p).all():
        return "not known", f"The test ({how}) needs two topics on which runs differ."
    if not len(level):
        return "yes", f"It is significantly better than every other run ({how})."
    others = len(board.mean) - 1
    answer = "no" if len(level) == others else f"not against {len(level):,} of {others:,}"
    named = _names(board, level.tolist())
    return answer, f"It is not significantly better than {named} ({how})."


def _names(board: Board, runs: list[int]) -> str:
    if len(runs) > NAMED:
        return f"{len(runs):,} of the {len(board.mean) - 1:,} other runs"
    names = [board.scores.runs[run] for run in runs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
