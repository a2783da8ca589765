"""The first screen: who is best, how sure that is, and what to judge, in plain words."""

from html import escape

import numpy as np

from leadline.comparison.board import Board
from leadline.comparison.sureness import SURENESS, WITHIN, Sureness
from leadline.judging.reading_texts import Texts
from leadline.orders.worth_judging import WorthJudging
from leadline.presentation.pages.parts import amount, by_measure

HOW_SURE = "How sure is that?"
NAMED = 3
"""So many runs are named; more are counted."""


def summary(boards: list[Board], worth: WorthJudging, texts: Texts) -> str:
    """For each measure the best run and how sure that is, then what to judge, as HTML."""
    answers = by_measure(
        (board.scores.measure, "".join(_answer(*each) for each in answers_of(board)))
        for board in boards
    )
    return f'<div class="summary">{answers}{_answer(*to_judge(worth, texts), link="next")}</div>'


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
        answers.append(("Or chance of these topics?", *_chance(board)))
    return answers


def to_judge(worth: WorthJudging, texts: Texts) -> tuple[str, str, str]:
    """(question, the first document, why) of what to judge next."""
    question = "What to judge next?"
    if not worth.pairs:
        return question, "nothing", "Every document that a run returns was judged."
    first = worth.pairs[0]
    query = texts.topics.get(first.topic, ("", ""))[0]
    topic = f"topic {first.topic}" + (f" ({query})" if query else "")
    why = "tells most about which run is best"
    if not worth.decides:
        given = " while ideals stay as they are" if worth.by_ideals else ""
        why = f"narrows the intervals most; it cannot change which run is best{given}"
    more = len(worth.pairs) - 1
    rest = f" {amount(more, 'more document')} below." if more else ""
    return question, first.doc, f"For {topic}: its judgment {why}.{rest}"


def _answer(question: str, answer: str, words: str, link: str = "") -> str:
    told = f'<a href="#{link}">{escape(answer)}</a>' if link else escape(answer)
    kind = f" sure-{answer}" if answer in SURENESS and question == HOW_SURE else ""
    return (
        f'<div class="answer"><p class="question">{escape(question)}</p>'
        f'<p class="told{kind}">{told}</p><p>{escape(words)}</p></div>'
    )


def _best(board: Board) -> str:
    best = int(board.order[0])
    equal = int((board.mean >= board.mean[best] - 1e-12).sum())
    name = board.scores.runs[best]
    return name if equal == 1 else f"{name} and {amount(equal - 1, 'equal', 'equals')}"


def _score(board: Board) -> str:
    best = int(board.order[0])
    words = f"It has the highest {board.scores.measure}, {board.mean[best]:.4f}"
    if not board.has_interval:
        return f"{words}. This measure does not tell how far unjudged documents could move it."
    low, high = board.lower[best], board.upper[best]
    if high - low < 5e-5:
        return f"{words}; no unjudged document can change that."
    words = f"{words}; with all documents judged it would be between {low:.4f} and {high:.4f}."
    if low == 0 < board.mean[best]:
        words += " 0 is the only guaranteed lower bound, since relevant documents may be unseen."
    return words


def _sure(board: Board) -> tuple[Sureness, str]:
    """Whether the leader is certain, likely or open to be best on these topics, and why."""
    rivals, outlook = board.rivals, board.outlook
    assert rivals is not None
    if not len(rivals):
        return "certain", "No judgment of a listed document can put another run above it."
    named = _names(board, rivals.tolist())
    words = f"Judging could still put {named} above it."
    if board.all_judged:
        words = (
            f"Every listed document was judged; relevant ones that no run returns could still "
            f"put {named} above it."
        )
    if outlook is None:
        return "open", words
    until = f"{amount(outlook.to_certain, 'judgment')} until it is certain"
    chance = f"{outlook.probability:.2f}, give or take {WITHIN:g}"
    if outlook.leader != int(board.order[0]):
        name = board.scores.runs[outlook.leader]
        words += f" A model of the judgments expects {name} to be best (probability {chance})."
    elif outlook.sure == "likely":
        return "likely", (
            f"A model of the judgments says so with probability {chance}. {words} About {until}."
        )
    likely = f"{amount(outlook.to_likely, 'judgment')} until the best run is likely"
    return "open", f"{words} About {likely}, {until}."


def _chance(board: Board) -> tuple[str, str]:
    level, pairs = board.level_with_leader, board.pairwise
    assert level is not None
    assert pairs is not None
    if not len(level):
        return "no", f"It is significantly better than every other run ({pairs.test})."
    named = _names(board, level.tolist())
    return "perhaps", f"The test ({pairs.test}) does not tell it from {named}."


def _names(board: Board, runs: list[int]) -> str:
    if len(runs) > NAMED:
        return f"{len(runs):,} of the {len(board.mean) - 1:,} other runs"
    names = [board.scores.runs[run] for run in runs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
