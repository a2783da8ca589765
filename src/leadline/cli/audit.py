"""`leadline audit`."""

from pathlib import Path
from typing import Annotated

from leadline.cli.options import Argument, HowToRead, Option
from leadline.cli.output import (
    STANDARD_OUTPUT,
    ChartOption,
    FormatOption,
    draw,
    emit,
    progress,
    say,
    say_notices,
    written_as,
)
from leadline.io.write import check_writable, write_whole

PAGES = (".html", ".htm")


def audit(
    cheap: Annotated[str, Argument(help="The judge's labels.", show_default=False)],
    inputs: Annotated[
        list[str] | None,
        Argument(
            metavar="[RUN...|COLLECTION]",
            help="Runs, or a collection folder with runs, groups and texts.",
            show_default=False,
        ),
    ] = None,
    trusted: Annotated[
        str, Option(metavar="QRELS", help="The people's judgments.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    pool: Annotated[
        Path | None,
        Option(help="How the people's pairs were drawn: a file of leadline pool."),
    ] = None,
    measure: Annotated[
        str, Option("-m", "--measure", help="A weighted measure, or nDCG.")
    ] = "SDCG(gains=linear)@10",
    rel: Annotated[
        int, Option(help="People's grades from this on are relevant, where that is asked.")
    ] = 1,
    cheap_max: Annotated[
        int | None, Option(help="The best grade of the judge, if it never gave it.")
    ] = None,
    confidence: Annotated[
        float, Option(help="Of intervals; an honest judge is accused with the rest.")
    ] = 0.95,
    seed: Annotated[int, Option(help="Of the permutations.")] = 0,
    *,
    how: HowToRead,
    chart: ChartOption = None,
    output: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            help="The page to a file that ends in .html, else the table by suffix: .csv .tsv "
            ".json .parquet .md .tex",
            dir_okay=False,
        ),
    ] = None,
    form: FormatOption = None,
) -> None:
    """How good is a cheap judge, and whom does it favour? By what people said of the same pairs."""
    from leadline.api.audit import audit as verb

    to_page = output is not None and output.suffix.lower() in PAGES
    if output is not None and to_page:
        check_writable(output)
        if form is not None:
            raise ValueError(f"{output}: its suffix says a page, --format {form}")
    else:
        written_as(form, output)
    if seed < 0:
        raise ValueError(f"seed must be at least 0, not {seed}")
    with progress("reading, then auditing") as advance:
        result = verb(
            cheap,
            inputs or None,
            trusted=trusted,
            pool=pool,
            measure=measure,
            rel=rel,
            cheap_max=cheap_max,
            confidence=confidence,
            seed=seed,
            progress=advance,
            **how,
        )
    if output is not None and to_page and str(output) not in STANDARD_OUTPUT:
        write_whole(output, result.page)
        say([f"wrote {output}: open it in a browser"])
    else:
        emit(result, form, output)
    draw(result, chart)
    say(result.findings)
    say_notices(result)
