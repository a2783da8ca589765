"""What goes over the wire, as the OpenAPI description shows it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from leadline.judging.ledger import Kind
from leadline.web.accounts import Role

PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
Name = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=PRINTABLE)]
Words = Annotated[str, StringConstraints(max_length=4000, pattern=PRINTABLE)]


class Body(BaseModel):
    """What is sent to us: nothing more than is known, and whole."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Which(Body):
    """A pair."""

    topic: Name
    doc: Name


class JudgmentIn(Which):
    """A judgment of the document that was assigned; without a grade it means "cannot tell"."""

    grade: Annotated[int, Field(ge=0, le=1000)] | None = None
    note: Words = ""
    seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] | None = None


class SkipIn(Which):
    """A document to put off."""

    note: Words = ""


class AdjudicationIn(Which):
    """The grade of a document for good."""

    grade: Annotated[int, Field(ge=0, le=1000)]
    note: Words = ""


class PersonIn(Body):
    """Someone to invite; a machine gets a token at once."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=PRINTABLE)]
    role: Role = "assessor"
    kind: Kind = "person"


class NameIn(Body):
    """Under which name to judge."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=PRINTABLE)]


class EndIn(Body):
    """Whether judging is over."""

    ended: bool


class ImportIn(Body):
    """Judgments from elsewhere."""

    format: Literal["qrels", "csv", "labelstudio"]
    text: Annotated[str, StringConstraints(min_length=1)]
    who: Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=PRINTABLE)]


class ErrorBody(BaseModel):
    """Why a request was refused."""

    error: str
    code: str


class GradeOut(BaseModel):
    """One step of the scale."""

    grade: int
    name: str
    key: str
    meaning: str


class Me(BaseModel):
    """Who is asking, and what they have done. Send `csrf` as X-Leadline-CSRF with every change."""

    name: str
    role: Role
    kind: Kind
    csrf: str
    judged: int
    cannot_tell: int
    skipped: int
    per_hour: float | None


class ProjectOut(BaseModel):
    """What is judged here, and how."""

    title: str
    grades: list[GradeOut]
    guidelines: list[Any]
    order: str
    stop: str
    measure: str
    assessors_per_document: int
    merge: str
    blind: bool
    accounts: bool
    topics: int
    runs: int


class AssignmentOut(BaseModel):
    """A document to judge. `spans` are where the query's words are, in UTF-16 units of the text."""

    topic: str
    doc: str
    query: str
    description: str
    guidelines: list[Any]
    title: str
    text: str
    title_spans: list[list[int]]
    spans: list[list[int]]
    found: bool
    link: str
    returned_by: int | None = None
    best_rank: int | None = None


class Turn(BaseModel):
    """What to do next: a document, or the reason why there is none."""

    assignment: AssignmentOut | None
    reason: str
    over: bool
    me: Me
    judged: int
    to_go: int | None


class PersonOut(BaseModel):
    """Someone who may come in."""

    name: str
    role: Role
    kind: Kind
    closed: bool


class Invited(BaseModel):
    """The link to send to a person, or the token for a machine; shown only now."""

    person: PersonOut
    link: str | None = None
    token: str | None = None


class Imported(BaseModel):
    """How many judgments were added."""

    added: int
    elsewhere: int
