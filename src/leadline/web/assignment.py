"""A pair as an assessor sees it: the topic's words, the document's, and what to look for."""

from typing import TYPE_CHECKING, Any

from leadline.web.markdown import tree
from leadline.web.models import AssignmentOut, TextOut

if TYPE_CHECKING:
    import re

    from leadline.web.prepared import Shown
    from leadline.web.site import Site


def assignment(site: "Site", pair: int) -> AssignmentOut:
    """What the page shows; nothing of runs or ranks where judging is blind."""
    library = site.judging.library
    runs = site.judging.room.state.session.runs
    topic, doc = runs.pairs.name(pair)
    query, description = library.texts.topics.get(topic, ("", ""))
    document = _shown(site, doc)
    text, rest = document.window(0)
    terms = library.texts.terms(topic)
    made = AssignmentOut(
        topic=topic,
        doc=doc,
        query=query,
        description=description,
        guidelines=guidelines(site, topic),
        title=document.title,
        text=text,
        rest=rest,
        length=len(document.text),
        title_spans=spans(document.title, terms),
        spans=spans(text, terms),
        found=document.found,
        trouble=document.trouble,
        fields=list(document.fields),
        image=document.image,
        link=library.link(doc),
    )
    if not site.judging.project.blind:
        holders = runs.postings
        part = slice(holders.start[pair], holders.start[pair + 1])
        made.returned_by = int(holders.start[pair + 1] - holders.start[pair])
        made.best_rank = int(holders.rank[part].min(initial=2**31 - 1))
    return made


def _shown(site: "Site", doc: str) -> "Shown":
    """A document; one that takes long is made ready by the threads for those."""
    if site.judging.library.is_quick(doc):
        return site.prepared.document(doc)
    return site.prepared.begin(doc).result()


def text_from(site: "Site", pair: int, at: int) -> TextOut:
    """More of a text that was too long to be sent at once."""
    topic, doc = site.judging.room.state.name(pair)
    text, rest = _shown(site, doc).window(at)
    return TextOut(text=text, rest=rest, spans=spans(text, site.judging.library.texts.terms(topic)))


def guidelines(site: "Site", topic: str) -> list[Any]:
    """The guidelines of a topic, "" for those of all topics, as a tree."""
    known = site.guidelines.get(topic)
    if known is None:
        known = tree(site.judging.library.guidelines.get(topic, ""))
        site.guidelines[topic] = known
    return known


def spans(text: str, terms: "re.Pattern[str] | None") -> list[list[int]]:
    """Where the terms are, counted in UTF-16 units as browsers count.

    >>> import re
    >>> spans("\\U0001f40b whale", re.compile("whale"))
    [[3, 8]]
    """
    if terms is None:
        return []
    found = [list(match.span()) for match in terms.finditer(text)]
    if not text or ord(max(text)) < 0x10000:
        return found
    moved, seen, units = [], 0, 0
    for start, stop in found:
        units += len(text[seen:start].encode("utf-16-le", "surrogatepass")) // 2
        first = units
        units += len(text[start:stop].encode("utf-16-le", "surrogatepass")) // 2
        moved.append([first, units])
        seen = stop
    return moved
