"""The table of a paper: runs, scores with residuals, the best in bold, marks of significance."""

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from leadline.data.arrays import Floats
from leadline.stats.pairwise import CAVEATS, Pairwise
from leadline.stats.significance import tests
from leadline.views.page import rendered
from leadline.views.pair_tables import latex_text, markdown_text
from leadline.views.tables import titled_table

LETTERS = string.ascii_lowercase
"""Of more runs than letters no pairs are marked."""
BETTER, WORSE = "†", "‡"
CORRECTIONS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "the correction of Benjamini and Hochberg",
    "none": "no correction",
}


@dataclass(frozen=True)
class PaperCell:
    """A score as it is printed; `marks` in brackets come with a caveat."""

    score: str
    residual: str = ""
    marks: str = ""
    best: bool = False


@dataclass(frozen=True)
class PaperRow:
    """The letter and the name of a run, or its name alone; and a cell for each measure."""

    texts: tuple[str, ...]
    cells: tuple[PaperCell, ...]


@dataclass(frozen=True)
class PaperTable:
    """Head, rows best first, and the sentences of the caption."""

    head: tuple[str, ...]
    rows: tuple[PaperRow, ...]
    caption: tuple[str, ...]

    @classmethod
    def of(cls, compared: Sequence[Pairwise], collections: Sequence[str] = ()) -> "PaperTable":
        """Return the table of pairs that were compared by one test for several measures.

        With collections, for each of them and for their mean.
        """
        first = compared[len(collections)]
        order = first.order.tolist()
        lettered = first.all_tested and len(order) <= len(LETTERS)
        letters = dict(zip(order, LETTERS, strict=False)) if lettered else {}
        columns = [_column(pairs, letters) for pairs in compared]
        rows = tuple(
            PaperRow(
                (*([letters[run]] if lettered else []), first.scores.runs[run]),
                tuple(column[run] for column in columns),
            )
            for run in order
        )
        head = (*([""] if lettered else []), "run", *column_names(compared, collections))
        doubted = any("(" in cell.marks for row in rows for cell in row.cells)
        return cls(head, rows, tuple(_caption(compared, collections, lettered, doubted)))

    def text(self, kind: Literal["markdown", "latex", "html"]) -> str:
        """Return the table as the text of a file."""
        if kind == "html":
            caption = " ".join(self.caption)
            return rendered("paper_table.html", head=self.head, rows=self.rows, caption=caption)
        return self._latex() if kind == "latex" else self._markdown()

    def _latex(self) -> str:
        n_texts = len(self.rows[0].texts)
        body = _lines(
            self.rows, latex_text, r"\textbf{%s}", lambda marks: rf"$^{{\mathrm{{{marks}}}}}$"
        )
        # A dagger is a sign of mathematics, a letter stands upright there.
        body = [
            [text.replace(BETTER, r"\dagger").replace(WORSE, r"\ddagger") for text in row]
            for row in body
        ]
        lines = [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex_caption(self.caption)}}}",
            rf"\begin{{tabular}}{{{'l' * n_texts}{'r' * (len(self.head) - n_texts)}}}",
            r"\toprule",
            " & ".join(map(latex_text, self.head)) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in body),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _markdown(self) -> str:
        n_texts = len(self.rows[0].texts)
        body = _lines(self.rows, markdown_text, "**%s**", lambda marks: f"<sup>{marks}</sup>")
        rule = ["---"] * n_texts + ["---:"] * (len(self.head) - n_texts)
        lines = ["| " + " | ".join(map(markdown_text, self.head)) + " |", f"|{'|'.join(rule)}|"]
        lines += ["| " + " | ".join(row) + " |" for row in body]
        return "\n".join([*lines, "", markdown_text(" ".join(self.caption)), ""])

    def terminal(self) -> RenderableType:
        """Return the table for a terminal, with the caption below it."""
        table = titled_table("")
        for at, name in enumerate(self.head):
            text = at < len(self.rows[0].texts)
            table.add_column(Text(name), justify="left" if text else "right", no_wrap=True)
        for row in self.rows:
            cells = [
                Text.assemble(
                    (cell.score, "bold" if cell.best else ""),
                    f" {cell.marks}" if cell.marks else "",
                    f" {cell.residual}" if cell.residual else "",
                )
                for cell in row.cells
            ]
            table.add_row(*map(Text, row.texts), *cells)
        return Group(table, Text(" ".join(self.caption), style="dim"))


def column_names(compared: Sequence[Pairwise], collections: Sequence[str]) -> list[str]:
    """Return the head of each column: the measure, and the collection where there are several."""
    measures = [each.scores.measure for each in compared]
    if not collections:
        return measures
    places = [*collections, "mean"]
    several = len(compared) > len(places)
    return [
        f"{measure} {places[at % len(places)]}" if several else places[at % len(places)]
        for at, measure in enumerate(measures)
    ]


def paper_frame(compared: Sequence[Pairwise], collections: Sequence[str] = ()) -> pl.DataFrame:
    """Return a row for each run, best first, with score, residual and marks of each measure."""
    first = compared[len(collections)]
    order = first.order
    columns: dict[str, pl.Series] = {"run": pl.Series(first.scores.runs, dtype=pl.String)[order]}
    for name, pairs in zip(column_names(compared, collections), compared, strict=True):
        residual = _residual(pairs)
        columns[name] = pl.Series(pairs.scores.mean()).fill_nan(None)[order]
        if residual is not None:
            columns[f"{name} residual"] = pl.Series(residual).fill_nan(None)[order]
        for word in ("better", "worse"):
            if word == "better" or not pairs.all_tested:
                won = _against(pairs, word)
                named = ["; ".join(pairs.scores.runs[o] for o, _ in won[run]) for run in order]
                columns[f"{name} {word} than"] = pl.Series(named, dtype=pl.String)
    return pl.DataFrame(columns)


def _residual(pairs: Pairwise) -> Floats | None:
    """Return what unjudged documents could add to the mean of each run, of measures that are sums.

    None for others, whose scores could also fall.
    """
    if pairs.measure.numerator is not pairs.measure or pairs.unjudged_as == "assisted":
        return None
    residual: Floats = pairs.scores.mean_upper() - pairs.scores.mean()
    return residual


def _against(pairs: Pairwise, verdict: str) -> list[list[tuple[int, bool]]]:
    """Return for each run those that it is better or worse than, and whether with a caveat."""
    turned = {"better": "worse", "worse": "better"}[verdict]
    found: list[list[tuple[int, bool]]] = [[] for _ in pairs.scores.runs]
    rows = zip(
        pairs.first.tolist(), pairs.second.tolist(), pairs.verdict, pairs.caveats, strict=True
    )
    for one, other, said, caveats in rows:
        if said == verdict:
            found[one].append((other, bool(caveats)))
        elif said == turned and pairs.all_tested:
            found[other].append((one, bool(caveats)))
    return found


def _column(pairs: Pairwise, letters: dict[int, str]) -> list[PaperCell]:
    mean, residual = pairs.scores.mean(), _residual(pairs)
    scores = ["--" if np.isnan(value) else f"{value:.3f}" for value in mean]
    best = max((score for score in scores if score != "--"), default="")
    marks = [""] * len(scores)
    if letters:
        for run, won in enumerate(_against(pairs, "better")):
            sure = "".join(sorted(letters[other] for other, doubted in won if not doubted))
            doubted = "".join(sorted(letters[other] for other, doubted in won if doubted))
            marks[run] = sure + (f"({doubted})" if doubted else "")
    elif not pairs.all_tested:
        for word, sign in (("better", BETTER), ("worse", WORSE)):
            for run, won in enumerate(_against(pairs, word)):
                if won:
                    marks[run] = f"({sign})" if won[0][1] else sign
    return [
        PaperCell(
            score,
            "" if residual is None or np.isnan(residual[run]) else f"+{residual[run]:.3f}",
            marks[run],
            score == best,
        )
        for run, score in enumerate(scores)
    ]


def _caption(
    compared: Sequence[Pairwise], collections: Sequence[str], lettered: bool, doubted: bool
) -> list[str]:
    first = compared[len(collections)]
    n_runs, n_topics = len(first.scores.runs), len(first.scores.topics)
    lines = [f"Mean scores of {n_runs:,} runs over {n_topics:,} topics, the best in bold."]
    if collections:
        counts = [len(each.scores.topics) for each in compared[: len(collections)]]
        of_each = ", ".join(
            f"{name} ({n:,} topics)" for name, n in zip(collections, counts, strict=True)
        )
        several = len(compared) > len(collections) + 1
        what = "Mean scores" if several else f"Mean {first.scores.measure}"
        lines = [
            f"{what} of {n_runs:,} runs on {of_each}, and the mean of these, the best in bold."
        ]
    if first.unjudged_as == "assisted":
        lines.append("Scores are estimated from sampled judgments with the help of labels.")
    else:
        lines.append("Unjudged documents count as non-relevant.")
    sums = dict.fromkeys(each.scores.measure for each in compared if _residual(each) is not None)
    if sums:
        lines.append(
            f"After + ({', '.join(sums)}): the residual, which unjudged documents and ranks beyond "
            "the ends of lists could add at most."
        )
    how = _how(first)
    if collections:
        how += "; topics paired within their collection"
    if lettered:
        lines.append(f"Letters: the runs than which a run is significantly better ({how}).")
    elif first.all_tested:
        lines.append(f"Not marked, with more than {len(LETTERS)} runs: significant differences.")
    else:
        baseline = first.scores.runs[int(first.second[0])]
        lines.append(
            f"{BETTER} significantly better than {baseline}, {WORSE} significantly worse ({how})."
        )
    if doubted:
        marked = [
            text
            for pairs in compared
            for verdict, text in zip(pairs.verdict, pairs.caveats, strict=True)
            if verdict in ("better", "worse")
        ]
        met = {caveat for text in marked for caveat in text.split("; ")}
        reasons = ", ".join(caveat for caveat in CAVEATS if caveat in met)
        lines.append(f"In brackets: with a caveat ({reasons}).")
    return lines


def _how(pairs: Pairwise) -> str:
    """Return test, tails, correction and level in words."""
    test = tests.parse(pairs.test)
    name = (type(test).__doc__ or pairs.test).partition(":")[0].removeprefix("The ")
    name = name if "'s" in name else name[:1].lower() + name[1:]
    n, tails = len(pairs.first), {1: "one-sided", 2: "two-sided"}[pairs.tails]
    allowed = f"{CORRECTIONS[pairs.correction]} over {n:,} pair{'s' * (n != 1)}"
    if test.familywise:
        allowed = f"which allows for all {n:,} pairs"
    elif pairs.correction == "none":
        allowed = CORRECTIONS["none"]
    given = {"lower": "", "assisted": ""}.get(
        pairs.unjudged_as, f", the run that is behind counted as {pairs.unjudged_as}"
    )
    if pairs.unjudged_as == "both-projected":
        given = ", of projected scores"
    of_each = " of each measure" if n > 1 else ""
    return f"{name}, {tails}, {allowed}{of_each}, p < {pairs.alpha:g}{given}"


def _lines(
    rows: Sequence[PaperRow], safe: Callable[[str], str], bold: str, raised: Callable[[str], str]
) -> list[list[str]]:
    return [
        [
            *map(safe, row.texts),
            *(
                (bold % cell.score if cell.best else cell.score)
                + (raised(cell.marks) if cell.marks else "")
                + (f" {cell.residual}" if cell.residual else "")
                for cell in row.cells
            ),
        ]
        for row in rows
    ]


def _latex_caption(caption: Sequence[str]) -> str:
    text = latex_text(" ".join(caption)).replace(" < ", " $<$ ")
    return text.replace(BETTER, r"$\dagger$").replace(WORSE, r"$\ddagger$")
