"""What goes over the wire, as the OpenAPI description shows it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from leadline.app.accounts import Role
from leadline.app.sql_ledger import Message
from leadline.judging.ledger import Kind
from leadline.judging.project import Grade

PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
Name = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=PRINTABLE)]
Words = Annotated[str, StringConstraints(max_length=4000, pattern=PRINTABLE)]

PersonName = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=PRINTABLE)]


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

    name: PersonName
    role: Role = "assessor"
    kind: Kind = "person"


class PeopleIn(Body):
    """Several people to invite at once: all of them or none."""

    names: Annotated[list[PersonName], Field(min_length=1, max_length=500)]
    role: Role = "assessor"


class NameIn(Body):
    """Under which name to judge."""

    name: PersonName


class EndIn(Body):
    """Whether judging is over."""

    ended: bool


class ErrorBody(BaseModel):
    """Why a request was refused."""

    error: str
    code: str
    wait: int | None = None


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
    grades: list[Grade]
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
    """A document to judge. `spans` are where the query's words are, in UTF-16 units of the text.

    A long text is sent in parts: `rest` is where the next one begins, for /api/text. `trouble`
    says why a document cannot be shown. `fields` are what the project's template shows besides,
    label and value; where `image` is true there is one, at /api/image.
    """

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
    rest: int | None = None
    length: int = 0
    trouble: str = ""
    fields: list[tuple[str, str]] = []
    image: bool = False
    returned_by: int | None = None
    best_rank: int | None = None


class TextOut(BaseModel):
    """More of a long text, the query's words in it, and where the next part begins."""

    text: str
    spans: list[list[int]]
    rest: int | None


class FeedbackOut(BaseModel):
    """What was said to a gold question, and what is right."""

    topic: str
    doc: str
    said: int | None
    grade: int
    why: str


class Turn(BaseModel):
    """What to do next: a document, or the reason why there is none.

    `to_go` is how many judgments are to go at least and at most, null where there is no telling.
    """

    assignment: AssignmentOut | None
    reason: str
    over: bool
    me: Me
    judged: int
    to_go: tuple[int, int] | None
    training: bool = False
    feedback: FeedbackOut | None = None
    message: Message | None = None


class PersonOut(BaseModel):
    """Someone who may come in; `state` is active, invited, expired or closed.

    `until` is when the invitation ends, in seconds since 1970, `seen` when the person last did
    something here.
    """

    name: str
    role: Role
    kind: Kind
    closed: bool
    state: Literal["active", "invited", "expired", "closed"] = "active"
    until: float | None = None
    seen: str = ""


class Invited(BaseModel):
    """The link to send to a person, or the token for a machine; shown only now."""

    person: PersonOut
    link: str | None = None
    token: str | None = None


class Imported(BaseModel):
    """How many judgments were added, of documents that no run returns, and the import's number."""

    added: int
    elsewhere: int
    number: int


Sure = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Label = Annotated[str, StringConstraints(max_length=200, pattern=PRINTABLE)]


class MachineJudgmentIn(JudgmentIn):
    """A machine's judgment: besides, which model, by which prompt, and how sure it is."""

    model: Label = ""
    prompt: Label = ""
    confidence: Sure | None = None


class MachineJudgmentsIn(Body):
    """Many judgments at a time."""

    judgments: Annotated[list[MachineJudgmentIn], Field(min_length=1, max_length=500)]


class LeaseIn(Body):
    """How many documents to lend."""

    n: Annotated[int, Field(ge=1, le=100)]


class Lease(BaseModel):
    """The documents that the asker has now; `reason` says why there are none."""

    assignments: list[AssignmentOut]
    reason: str
    over: bool


class JudgmentTaken(BaseModel):
    """What became of one judgment of many: `code` is empty if it is kept."""

    topic: str
    doc: str
    code: str
    error: str


class JudgmentsTaken(BaseModel):
    """One for each judgment, in their order."""

    judgments: list[JudgmentTaken]


Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Setting = bool | int | float | Annotated[str, StringConstraints(max_length=500, pattern=PRINTABLE)]


class TopicOut(BaseModel):
    """A topic: whose it is, and how many of its pairs are judged, and left to judge."""

    topic: str
    query: str
    people: list[str]
    taken: bool
    judged: int
    pairs: int
    left: int


class AssignIn(Body):
    """Topics that belong to these people from now on; to nobody if there are none."""

    topics: Annotated[list[Name], Field(min_length=1, max_length=5000)]
    people: Annotated[list[PersonName], Field(max_length=100)]


class BalanceIn(Body):
    """Assign topics to these people so that all have about equally much to judge.

    With `keep`, topics that belong to somebody stay with them.
    """

    people: Annotated[list[PersonName], Field(min_length=1, max_length=500)]
    keep: bool = True


class GoldIn(AdjudicationIn):
    """A document whose grade is known; `note` says why, and is told to who answered."""

    training: bool = False


class GoldsIn(Body):
    """Several gold questions: topic, document, grade and reason on each line."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=50_000, pattern=PRINTABLE)]
    training: bool = False


class GoldOut(BaseModel):
    """A gold question, how many answered it, and how many of them rightly."""

    topic: str
    doc: str
    grade: int
    why: str
    training: bool
    answered: int
    right: int


class MessageIn(Body):
    """What to tell all."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=PRINTABLE)]


class NumberIn(Body):
    """Which message, or which import."""

    number: Count


class SettingOut(BaseModel):
    """A setting that can be changed while the server runs, and the heading of its part."""

    name: str
    part: str
    value: bool | int | float | str
    about: str
    choices: list[str]


class GradeIn(Body):
    """A step of the scale."""

    grade: Annotated[int, Field(ge=0, le=1000)]
    name: Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=PRINTABLE)]
    key: Annotated[str, StringConstraints(max_length=1, pattern=PRINTABLE)] = ""
    meaning: Annotated[str, StringConstraints(max_length=500, pattern=PRINTABLE)] = ""


class ScaleIn(Body):
    """All steps of the scale."""

    grades: Annotated[list[GradeIn], Field(min_length=2, max_length=20)]


class GuidelinesIn(Body):
    """Guidelines for all topics, as Markdown."""

    text: Annotated[str, StringConstraints(max_length=50_000, pattern=PRINTABLE)]


class GuidelinesOut(BaseModel):
    """The guidelines for all topics as Markdown; `trouble` says why they cannot be edited here."""

    text: str
    trouble: str = ""


class SettingsIn(Body):
    """Settings to change."""

    changes: Annotated[dict[Name, Setting], Field(min_length=1, max_length=50)]


class DisputeOut(BaseModel):
    """A document on which people differ, what each said, and what was decided, if it was."""

    topic: str
    doc: str
    query: str
    votes: list[dict[str, Any]]
    decided: int | None


class DisputesOut(BaseModel):
    """Some of the disputes, and how many there are."""

    total: int
    disputes: list[DisputeOut]


class OwnJudgment(BaseModel):
    """A judgment of the asker that is in force."""

    topic: str
    doc: str
    query: str
    grade: int | None
    note: str
    time: str


class OwnJudgments(BaseModel):
    """Some of them, the latest first, and how many there are."""

    total: int
    judgments: list[OwnJudgment]


class ListTopic(BaseModel):
    """A topic that the asker may judge: pairs to judge in it, and how many the asker judged."""

    topic: str
    query: str
    pairs: int
    mine: int
    assigned: bool


class ListRow(BaseModel):
    """A document of a list: its beginning, and what the asker said of it.

    `more` tells whether there is more to read; `spans` are as in an assignment.
    """

    doc: str
    title: str
    text: str
    title_spans: list[list[int]]
    spans: list[list[int]]
    more: bool
    found: bool
    judged: bool
    grade: int | None


class TopicList(BaseModel):
    """All documents of a topic that the asker has to judge or has judged, by their names."""

    topic: str
    query: str
    description: str
    guidelines: list[Any]
    rows: list[ListRow]
    reason: str


class Listed(BaseModel):
    """What is kept of a document of a list, and what is right if it was a gold question."""

    doc: str
    grade: int | None
    feedback: FeedbackOut | None = None


class GroupRun(BaseModel):
    """A run of the asking group: bounds of its score, and how much of it is judged.

    `to_judge` are pairs of the pool that the run returns, or all of them without a pool, and
    `judged` those of them that are judged. `share` is the judged share down to each depth.
    """

    run: str
    pooled: bool
    lower: float
    upper: float
    topics: int
    documents: int
    to_judge: int
    judged: int
    share: list[float]


class GroupTopic(BaseModel):
    """A topic: pairs to judge that the group returns, and how many of them are judged."""

    topic: str
    query: str
    pairs: int
    judged: int


class LeaderboardRow(BaseModel):
    """A run of the published leaderboard."""

    run: str
    group: str
    pooled: bool
    lower: float
    upper: float


class GroupOut(BaseModel):
    """What a group may see: its own runs, and the leaderboard of all once it is published."""

    group: str
    title: str
    measure: str
    pool: bool
    depths: list[int]
    runs: list[GroupRun]
    topics: list[GroupTopic]
    published: bool
    page: bool
    leaderboard: list[LeaderboardRow]


class LeaderboardOut(BaseModel):
    """Whether the page of the leaderboard is there, and what is left to do before publication."""

    stage: Literal["none", "being made", "ready", "failed"]
    trouble: str
    published: bool
    to_judge: int
    disputed: int
    flagged: list[str]
    ended: bool


class ReviseIn(Which):
    """Another grade for a document that one has judged; without one it is "cannot tell"."""

    grade: Annotated[int, Field(ge=0, le=1000)] | None = None
    note: Words = ""
