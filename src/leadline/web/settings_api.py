"""The API for organisers on settings, changed while the server runs."""

from typing import get_args

from fastapi import APIRouter

from leadline.judging.merge import Rule
from leadline.judging.room.project import ABOUT
from leadline.judging.room.room import Refused
from leadline.verbs.judge import EDITABLE
from leadline.web.api import REFUSALS, TheSite
from leadline.web.campaign_models import SettingOut, SettingsIn
from leadline.web.organiser_api import Organiser

router = APIRouter(prefix="/api", tags=["organisers"], responses=REFUSALS)
CHOICES = {"merge": list(get_args(Rule))}


@router.get("/settings")
def settings(site: TheSite, who: Organiser) -> list[SettingOut]:
    """What can be changed while the server runs; the rest is in judge.toml."""
    project = site.judging.project
    return [
        SettingOut(
            name=name,
            value=getattr(project, name),
            about=ABOUT[name],
            choices=CHOICES.get(name, []),
        )
        for name in EDITABLE
    ]


@router.post("/settings")
def change(body: SettingsIn, site: TheSite, who: Organiser) -> list[SettingOut]:
    """Change settings: all of these or none. They are in judge.toml, and hold at once."""
    try:
        site.judging.change_settings(dict(body.changes))
    except ValueError as error:
        raise Refused("setting", str(error)) from None
    site.guidelines.clear()
    shown = ", ".join(f"{name} = {value}" for name, value in body.changes.items())
    site.deeds.add(who.person.name, "settings", shown)
    return settings(site, who)
