"""The whole report of a collection, from what was computed about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.collection.judged_by_rank import JudgedByRank
from leadline.comparison.board import Board
from leadline.files.problems import Problem
from leadline.intervals.joint import OpenWeight
from leadline.judging.reading_texts import Texts
from leadline.orders.worth_judging import WorthJudging
from leadline.pools.contributions import GroupContribution, Groups
from leadline.presentation.pages.embedded import page_data
from leadline.presentation.pages.groups_section import groups_section
from leadline.presentation.pages.judged_section import judged_section
from leadline.presentation.pages.leaderboard import leaderboard
from leadline.presentation.pages.live_page import live_page
from leadline.presentation.pages.next_section import next_section
from leadline.presentation.pages.orderings_section import orderings_section
from leadline.presentation.pages.parts import amount
from leadline.presentation.pages.significance_section import significance_section
from leadline.presentation.pages.sources import Origin, again_section, read_section
from leadline.presentation.pages.summary import summary
from leadline.presentation.pages.topics_section import topics_section
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """All that a report shows: one board a measure, and what does not depend on the measure.

    `open_weights` are None for measures that have no weights of ranks.
    `pool_depth` is None where the judgments are no pool of the runs; `depth_given` says that it
    was told, not found. `texts` are the words of topics and of the documents worth judging.
    """

    title: str
    boards: Sequence[Board]
    open_weights: Sequence[OpenWeight | None]
    runs: Runs
    judgments: Judgments
    groups: Groups
    contribution: GroupContribution
    pool_depth: int | None
    depth_given: bool
    judged: JudgedByRank
    worth: WorthJudging
    texts: Texts
    notices: Sequence[Problem]
    origin: Origin
    command: str
    seed: int


def collection_report(facts: ReportFacts) -> str:
    """The page as text."""
    boards, groups, runs = list(facts.boards), facts.groups, facts.runs
    queries = {topic: words[0] for topic, words in facts.texts.topics.items()}
    pool = "not a pool of these runs" if facts.pool_depth is None else f"depth {facts.pool_depth}"
    pool += f", {amount(int(groups.pooled.sum()), 'run')} of {len(runs.names)} count as pooled"
    sections = [
        ("leaderboard", "Leaderboard", leaderboard(boards, groups)),
        ("judged", "Judged", judged_section(facts.judged, facts.judgments, boards[0])),
        (
            "groups",
            "Groups",
            groups_section(boards, groups, facts.contribution, facts.pool_depth, facts.depth_given),
        ),
        ("topics", "Topics", topics_section(boards, bool(queries))),
        ("significance", "Significance", significance_section(boards)),
        ("orderings", "Orderings", orderings_section(boards)),
        ("next", "What to judge next", next_section(facts.worth, facts.texts)),
        (
            "read",
            "What was read",
            read_section(runs, facts.judgments, facts.origin, facts.notices, pool),
        ),
        ("again", "Reproduce", again_section(facts.command, facts.seed, facts.origin)),
    ]
    data = page_data(boards, facts.open_weights, groups, facts.judged, queries)
    names = [board.scores.measure for board in boards]
    first = summary(boards, facts.worth, facts.texts)
    return live_page(facts.title, _lead(facts), first, names, sections, data)


def _lead(facts: ReportFacts) -> str:
    runs, groups = facts.runs, facts.groups
    of = f" of {amount(len(groups.names), 'group')}" if groups.told else ""
    return (
        f"{amount(len(runs.names), 'run')}{of} on "
        f"{amount(len(runs.pairs.topics), 'topic')}, {int(facts.judgments.judged.sum()):,} pairs "
        f"of topic and document judged."
    )
