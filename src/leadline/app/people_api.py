"""The API for organisers about people: invitations, tokens, resets, and who may come in no more."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends

from leadline.app.accounts import Person, Role, SignedIn, check_name
from leadline.app.assessor_api import REFUSALS, TheSite
from leadline.app.models import Invited, NameIn, PeopleIn, PersonIn, PersonOut
from leadline.app.room import ActionRefused
from leadline.app.site import Denied, Site, organiser

Organiser = Annotated[SignedIn, Depends(organiser)]
router = APIRouter(prefix="/api/people", tags=["organisers"], responses=REFUSALS)


def _out(person: Person, **more: Any) -> PersonOut:
    return PersonOut(
        name=person.name, role=person.role, kind=person.kind, closed=person.closed, **more
    )


def _known(site: Site, name: str) -> Person:
    person = site.accounts.find(name)
    if person is None:
        raise ActionRefused("unknown", f"there is nobody named {name}")
    return person


@router.get("")
def everyone(site: TheSite, who: Organiser) -> list[PersonOut]:
    """All who may come in."""
    states, people = site.accounts.states(), site.accounts.everyone()
    with site.judging.room.lock:
        acts = site.judging.room.state.acts
        seen = {who: done[-1].time for who, done in acts.items() if done}
    found = []
    for each in people:
        state, until = states.get(each.name, ("active", None))
        found.append(_out(each, state=state, until=until, seen=seen.get(each.name, "")))
    return found


@router.post("", status_code=201)
def invite(body: PersonIn, site: TheSite, who: Organiser) -> Invited:
    """Invite a person by a link, or make a token for a machine. Either is shown only now.

    Somebody who has no password yet is invited again, and the last link alone works.
    """
    accounts = site.accounts
    if body.kind == "machine":
        if body.role != "assessor":
            raise Denied(403, "a machine can only be an assessor")
        person = accounts.add(body.name, body.role, body.kind)
        site.audit_log.add(who.person.name, "add machine", person.name)
        return Invited(person=_out(person), token=accounts.token(person, site.token_use))
    _check_can_be_invited(site, [body.name], body.role)
    return _invite(site, who, body.name, body.role)


@router.post("/several", status_code=201)
def invite_several(body: PeopleIn, site: TheSite, who: Organiser) -> list[Invited]:
    """Invite several people at once, each by a link of their own: all of them or none."""
    names = list(dict.fromkeys(check_name(name) for name in body.names))
    _check_can_be_invited(site, names, body.role)
    return [_invite(site, who, name, body.role) for name in names]


def _check_can_be_invited(site: Site, names: list[str], role: Role) -> None:
    """Raise an ActionRefused if one of these is somebody already, or no group of these runs."""
    known = {person.name: person for person in site.accounts.everyone()}
    groups = set(site.judging.room.state.session.runs.group)
    for name in (" ".join(name.split()) for name in names):
        person = known.get(name)
        if person is not None and (person.kind == "machine" or person.can_sign_in):
            raise ActionRefused(
                "taken", f"there is somebody named {name} already; make a new link for them"
            )
        if role == "group" and name not in groups:
            raise ActionRefused("unknown", f"no run is of a group named {name}")


def _invite(site: Site, who: SignedIn, name: str, role: Role) -> Invited:
    person = site.accounts.welcome(name, role)
    site.audit_log.add(who.person.name, "invite", f"{person.name}, {role}")
    link = f"{site.address}/invitation/{site.accounts.invite(person)}"
    return Invited(person=_out(person), link=link)


@router.post("/reset")
def reset(body: NameIn, site: TheSite, who: Organiser) -> Invited:
    """A new link for who lost a password or was closed; nothing else lets them in any more."""
    person = _known(site, body.name)
    if person.name == who.person.name:
        raise Denied(403, "you would shut yourself out: ask another organiser")
    site.audit_log.add(who.person.name, "reset", person.name)
    if person.kind == "machine":
        return Invited(person=_out(person), token=_new_token(site, person))
    link = f"{site.address}/invitation/{site.accounts.reset(person)}"
    return Invited(person=_out(_known(site, body.name)), link=link)


def _new_token(site: Site, person: Person) -> str:
    site.accounts.withdraw(person.name)
    return site.accounts.token(person, site.token_use)


@router.post("/token")
def token(body: NameIn, site: TheSite, who: Organiser) -> Invited:
    """A new token for a machine, or for a person's programs; those before are withdrawn."""
    person = _known(site, body.name)
    if person.closed:
        raise Denied(403, f"{person.name} is closed")
    if person.role == "organiser" and person.name != who.person.name:
        raise Denied(403, "an organiser makes a token alone: POST /api/tokens")
    site.audit_log.add(who.person.name, "make token", person.name)
    return Invited(person=_out(person), token=_new_token(site, person))


@router.post("/withdraw")
def withdraw(body: NameIn, site: TheSite, who: Organiser) -> dict[str, int]:
    """No token of that name lets anybody in any more; how many there were."""
    person = _known(site, body.name)
    site.audit_log.add(who.person.name, "withdraw tokens", person.name)
    return {"withdrawn": site.accounts.withdraw(person.name)}


@router.post("/close")
def close(body: NameIn, site: TheSite, who: Organiser) -> list[PersonOut]:
    """This name may not come in any more; its judgments stay, its topics are free."""
    if body.name == who.person.name:
        raise Denied(403, "you cannot shut yourself out")
    site.accounts.close(body.name)
    room = site.judging.room
    free = room.change_campaign(lambda: room.state.topics.holders.give_up(body.name))
    about = f"{body.name}; topics that are free now: {', '.join(free)}" if free else body.name
    site.audit_log.add(who.person.name, "close", about)
    return everyone(site, who)
