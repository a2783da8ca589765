"""Which topics and documents runs and judgments share, and what to say where they differ."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from unicodedata import normalize

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.names import Names
from leadline.data.scores import Scores
from leadline.io.problems import MOST, InputError, Notices
from leadline.io.rows import Ranking, Rows, doc_keys, note_float32_ties

_COMBINING = (0xCC, 0xCD)
"""First bytes of accents that stand by themselves, U+0300 to U+036F, in UTF-8."""


def with_accents(names: Names) -> Int64s:
    """Positions of names that hold an accent by itself, as Unicode's form NFD has them.

    >>> with_accents(Names.of(["cafe", "caf\u00e9", "cafe\u0301"])).tolist()
    [2]
    """
    if not len(names) or names.text.max() < _COMBINING[0]:
        return np.zeros(0, np.int64)
    return _holding(
        names, np.flatnonzero((names.text == _COMBINING[0]) | (names.text == _COMBINING[1]))
    )


def _holding(names: Names, at: Int64s) -> Int64s:
    """Return the positions of names that hold one of these bytes of the text."""
    before = np.searchsorted(at, names.start)
    held = np.searchsorted(at, names.start + names.length) > before
    return np.flatnonzero(held)


_INVISIBLE = re.compile(
    "[\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]"
)
"""Characters that a reader does not see: blanks other than the separators, marks without width."""

_INVISIBLE_LEADS = (0x7F, 0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF)
"""The first bytes of those characters in UTF-8."""


def with_invisible(names: Names) -> Int64s:
    """Return the positions of names that hold an invisible character.

    >>> with_invisible(Names.of(["d1", "d\u200b1", "\u4e2d\u6587"])).tolist()
    [1]
    """
    if not len(names) or names.text.max() < _INVISIBLE_LEADS[0]:
        return np.zeros(0, np.int64)
    held = _holding(names, np.flatnonzero(np.isin(names.text, _INVISIBLE_LEADS)))
    invisible = [_INVISIBLE.search(name) is not None for name in names.gather(held).to_list()]
    return held[np.array(invisible, np.bool_)]


def invisible_message(n: int, name: str) -> str:
    """Return the message about documents with invisible characters, one of them by name."""
    code = ", ".join(f"U+{ord(each):04X}" for each in dict.fromkeys(_INVISIBLE.findall(name)))
    return (
        f"invisible characters stand in {n} document name{'s' * (n != 1)}: {name!a} holds {code}. "
        "Such a name matches only one that holds the same: remove these characters from all files"
    )


class LookAlikes:
    """Names of documents in runs that look like a judged one, or like another of the same run.

    Nothing is done about them, because collections may hold both; but whoever wrote a run on one
    system and judgments on another wants to know.
    """

    def __init__(self, judged: Names | None) -> None:
        self.judged = Names.of([]) if judged is None else judged
        apart = set(self.judged.gather(with_accents(self.judged)).to_list())
        self.composed = {normalize("NFC", name): name for name in sorted(apart)}
        self.seen: dict[str, dict[str, str]] = {}
        self.invisible: dict[str, set[str]] = {}
        invisible = set(self.judged.gather(with_invisible(self.judged)).to_list())
        if invisible:
            self.invisible[""] = invisible

    def look(self, runs: list[str], rows: Rows) -> None:
        """Note those of some runs."""
        unseen = with_invisible(rows.doc)
        of_run = rows.run_of(unseen).tolist()
        for run, name in zip(of_run, rows.doc.gather(unseen).to_list(), strict=True):
            self.invisible.setdefault(runs[run], set()).add(name)
        accents = with_accents(rows.doc)
        if not len(accents) and not self.composed:
            return
        apart = dict.fromkeys(rows.doc.gather(accents).to_list())
        wanted = {normalize("NFC", name): name for name in apart}
        judged = _places(wanted, self.judged)
        both = {apart: name for name, apart in wanted.items() if name in judged}
        for row, name in zip(accents.tolist(), rows.doc.gather(accents).to_list(), strict=True):
            if name in both:
                self._note(runs, rows, row, both[name], name)
        for name, places in _places(self.composed | wanted, rows.doc).items():
            self._note(runs, rows, places[0], name, (self.composed | wanted)[name])

    def _note(self, runs: list[str], rows: Rows, row: int, composed: str, apart: str) -> None:
        if composed != apart:
            run = runs[int(rows.run_of(np.array([row]))[0])]
            self.seen.setdefault(run, {})[composed] = apart

    def forget_judged(self) -> None:
        """Keep only what was seen, when no more runs are looked at."""
        self.judged, self.composed = Names.of([]), {}

    def report(self, notices: Notices, judged_in: str) -> None:
        """Say which were found where."""
        for run, names in self.invisible.items():
            message = invisible_message(len(names), min(names))
            notices.add(run or judged_in, "warning", "invisible", message)
        for run, found in self.seen.items():
            name = min(found)
            message = (
                f"{len(found)} documents have names that look like others and are not: {name} is "
                f"{name!a} and {found[name]!a}. Write both in one form of Unicode, NFC"
            )
            notices.add(run, "warning", "look-alike", message)


def _places(wanted: dict[str, str], names: Names) -> dict[str, list[int]]:
    """Where each of these stands among the names, byte by byte; those that do not are left out."""
    if not wanted or not len(names):
        return {}
    # By sorting: numpy 2.0 cannot count keys as large as these in a table.
    of_wanted = doc_keys(Names.of(list(wanted)))
    at = np.flatnonzero(np.isin(doc_keys(names), of_wanted, kind="sort"))
    places: dict[str, list[int]] = {}
    for place, name in zip(at.tolist(), names.gather(at).to_list(), strict=True):
        if name in wanted:
            places.setdefault(name, []).append(place)
    return places


FEW = 3
"""So few neighbours may rise or be equal by chance."""


def beyond_whole(score: Floats) -> Bools:
    """Return where scores are so large that 64-bit floats skip whole numbers."""
    return np.isfinite(score) & (np.abs(score) >= 2.0**53)


def beyond_whole_message(n: int) -> str:
    """Return the message about so many neighbours with equal scores of that size."""
    return (
        f"{n} neighbours have equal scores above 2^53, where 64-bit floats skip whole numbers: "
        "scores that differ in the file may tie. Subtract a constant, or write ranks as scores"
    )


class OddRuns:
    """How the scores of each run go down its lists, as the file has them."""

    def __init__(self) -> None:
        self.steps: dict[str, Int64s] = {}

    def look(self, runs: list[str], rows: Rows) -> None:
        """Count neighbours by how their scores change, of runs or of parts of one.

        Scores rise, fall or stay, or stay where whole numbers that differ become equal.
        """
        if len(rows) < 2:
            return
        before, after = rows.run_score[:-1], rows.run_score[1:]
        border = rows.starts[1:] - 1
        first = np.append(rows.run_start, len(rows)).tolist()
        level = after == before
        changes = (after > before, after < before, level, level & beyond_whole(after))
        for change, mask in enumerate(changes):
            mask[border] = False
            for at, run in enumerate(runs):
                n = int(np.count_nonzero(mask[first[at] : max(first[at + 1] - 1, 0)]))
                self.steps.setdefault(run, np.zeros(4, np.int64))[change] += n

    def of(self, runs: Iterable[str]) -> "OddRuns":
        """Return those of some runs."""
        some = OddRuns()
        some.steps = {run: self.steps[run] for run in runs if run in self.steps}
        return some

    def report(self, notices: Notices) -> None:
        """Say which runs are odd."""
        for run, (rises, falls, level, beyond) in self.steps.items():
            if beyond:
                notices.add(run, "warning", "beyond-whole", beyond_whole_message(int(beyond)))
            if falls:
                continue
            if rises > FEW:
                message = (
                    "its scores rise down every list, as distances or ranks do, and high ones "
                    "count as good: turn their sign, or take the lists as they are with "
                    "`ties` file-order"
                )
                notices.add(run, "warning", "ascending", message)
            elif level > FEW:
                message = (
                    "all scores of a list are equal, so its order is that of the docnos: give "
                    "scores, or take the lists as they are with `ties` file-order"
                )
                notices.add(run, "warning", "constant", message)


def warn_foreign_documents(scores: list[Scores], judged_in: str, notices: Notices) -> None:
    """Note runs of which no document that any of the measures looks at was judged."""
    if not scores:
        return
    some = np.zeros(len(scores[0].runs), np.bool_)
    for each in scores:
        some |= np.nan_to_num(each.judged).max(axis=1, initial=0.0) > 0
    foreign = [run for run, known in zip(scores[0].runs, some.tolist(), strict=True) if not known]
    for run in foreign:
        message = (
            f"nothing that it returns is judged in {judged_in}, as deep as the measures look: "
            "are its documents named as there?"
        )
        notices.add(run, "warning", "foreign", message)


MissingTopics = Literal["lowest", "skip"]
UnjudgedTopics = Literal["ignore", "include"]


@dataclass(frozen=True)
class RunTopics:
    """Numbers of the judged topics that a run returns, and the names of its other ones."""

    judged: frozenset[int]
    unjudged: list[str]

    @classmethod
    def of(cls, rows: Rows, ranking: Ranking, seen: "TopicsSeen") -> "list[RunTopics]":
        """Of each run."""
        names, number = rows.topics
        first = ranking.first_row()
        topic, run = number[rows.stretch_of(first)], rows.run_of(first)
        known = seen.numbers(names)[topic]
        topics = []
        for at in range(len(rows.run_start)):
            inside, other = (run == at) & (known >= 0), (run == at) & (known < 0)
            unjudged = [names[each] for each in topic[other].tolist()]
            topics.append(cls(frozenset(known[inside].tolist()), unjudged))
        return topics

    @classmethod
    def union(cls, parts: "list[RunTopics]") -> "RunTopics | None":
        """Those of all parts of a run; None if two of them share a topic."""
        judged = frozenset().union(*(part.judged for part in parts))
        unjudged = list({topic: None for part in parts for topic in part.unjudged})
        n = sum(len(part.judged) + len(part.unjudged) for part in parts)
        return cls(judged, unjudged) if len(judged) + len(unjudged) == n else None


class TopicsSeen:
    """The topics of all runs, for the notices.

    `judged` is None where nothing is: all topics of the runs then count, numbered as they come. Of
    `looked_for`, judged topics where others count too, every run must have one.
    """

    def __init__(
        self,
        judged: Sequence[str] | None,
        qrels: str,
        chosen: Iterable[str] | None,
        judged_docs: Names | None = None,
        looked_for: Sequence[str] = (),
    ) -> None:
        self.judged = [] if judged is None else list(judged)
        self.growing = judged is None
        self.looked_for = looked_for
        self.qrels = qrels
        self.chosen = None if chosen is None else set(chosen)
        self.number = {topic: at for at, topic in enumerate(self.judged)}
        self.without_judgments: dict[str, None] = {}
        self.missing: dict[str, list[str]] = {}
        self.look_alikes = LookAlikes(judged_docs)
        self.odd_runs = OddRuns()
        self.float32_ties: dict[str, int] = {}

    def numbers(self, topics: list[str]) -> Int64s:
        """The number of each topic, -1 where it does not count."""
        if self.growing:
            for topic in topics:
                if topic not in self.number and (self.chosen is None or topic in self.chosen):
                    self.number[topic] = len(self.judged)
                    self.judged.append(topic)
        return np.array([self.number.get(topic, -1) for topic in topics], np.int64)

    def add(self, run: str, topics: RunTopics) -> None:
        """Note a run's topics; an InputError if it has none in common with the judgments."""
        if self.growing:
            here = [self.judged[number] for number in sorted(topics.judged)]
            missing = [topic for topic in self.looked_for if topic not in set(here)]
            if missing and len(missing) == len(self.looked_for):
                self._refuse(run, here, self.looked_for)
            if missing:
                self.missing[run] = missing
            return
        if not topics.judged:
            self._refuse(run, topics.unjudged, self.judged)
        for topic in topics.unjudged:
            if self.chosen is None or topic in self.chosen:
                self.without_judgments[topic] = None
        gone = sorted(set(range(len(self.judged))) - topics.judged)
        if gone:
            self.missing[run] = [self.judged[topic] for topic in gone]

    def absorb(self, other: "TopicsSeen") -> None:
        """Note what another has seen of other runs, or of another part of a run."""
        self.without_judgments |= other.without_judgments
        self.missing |= other.missing
        for run, n_ties in other.float32_ties.items():
            self.float32_ties[run] = self.float32_ties.get(run, 0) + n_ties
        for run, names in other.look_alikes.seen.items():
            self.look_alikes.seen.setdefault(run, {}).update(names)
        for run, invisible in other.look_alikes.invisible.items():
            self.look_alikes.invisible.setdefault(run, set()).update(invisible)
        for run, steps in other.odd_runs.steps.items():
            self.odd_runs.steps[run] = self.odd_runs.steps.get(run, np.int64(0)) + steps

    def _refuse(self, run: str, here: list[str], judged: Sequence[str]) -> None:
        message = (
            f"has no topic in common with {self.qrels}: the run has {some_of(here)}, "
            f"the judgments {some_of(list(judged))}"
        )
        raise InputError.of(run, "no-common-topic", message)

    def report(self, notices: Notices, missing: MissingTopics, unjudged: UnjudgedTopics) -> None:
        """Say what was missing where."""
        self.growing = False
        self.look_alikes.report(notices, self.qrels)
        note_float32_ties(self.float32_ties, notices)
        done = "score their lowest" if missing == "lowest" else "are skipped"
        for run, topics in self.missing.items():
            count = f"{len(topics)} judged topics, which {done}"
            message = f"returns nothing for {count}: {some_of(topics)}"
            notices.add(run, "warning", "missing-topic", message)
        if self.without_judgments:
            done = "ignored" if unjudged == "ignore" else "scored with everything unjudged"
            warn_ignored_topics(self.qrels, list(self.without_judgments), notices, done)


def warn_unknown_topics(
    judged_in: str, chosen: list[str], known: set[str], notices: Notices
) -> None:
    """Note topics that were asked for and are not there; an InputError if none is."""
    unknown = sorted(set(chosen) - known)
    lacks = "has no judgments for" if judged_in else "no run returns anything for"
    if not known & set(chosen):
        message = f"{lacks} the topics given: {', '.join(chosen[:5])}"
        raise InputError.of(judged_in, "topics", message)
    if unknown:
        message = f"{lacks} {some_of(unknown)} of the topics asked for"
        notices.add(judged_in, "warning", "unknown-topic", message)


def warn_ignored_topics(
    judged_in: str, topics: list[str], notices: Notices, done: str = "ignored"
) -> None:
    """Note the topics of runs of which nothing was judged, or nothing inside the pool."""
    message = f"{len(topics)} topics of runs have no judgments and are {done}: {some_of(topics)}"
    notices.add(judged_in, "notice", "unjudged-topic", message)


def warn_undefined(scores: Scores, notices: Notices) -> None:
    """Note the topics on which a measure has no value for any run."""
    gone = np.flatnonzero(np.isnan(scores.value).all(axis=0))
    topics = [scores.topics[at] for at in gone]
    if topics:
        message = f"is undefined on {len(topics)} topics, which no mean includes: {some_of(topics)}"
        notices.add(scores.measure, "notice", "undefined", message)


def some_of(names: list[str]) -> str:
    """The first ten names, and how many there are if there are more."""
    more = f", ... ({len(names)} in all)" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more
