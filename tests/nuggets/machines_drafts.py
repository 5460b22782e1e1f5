"""Machine judges whose nuggets and marks are offered as drafts, for tests."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.models import Assignment, Campaign, Item, Topic
from nuggets.matches.record import MatchInput, record_match
from nuggets.models import Nugget, NuggetList
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from nuggets.writing.sources import add_source
from tests import factories
from tests.nuggets.keys import key

OFFERED = (("costs little", "vital"), ("weighs little", "okay"), ("is a robot’s fancy", "okay"))
ROBOT = "robot-account"


def machine_list(campaign: Campaign, topic: Topic, *, stage: str = "nuggets", source: Item | None = None) -> NuggetList:
    """A list of `OFFERED` that a machine froze; the first nugget was seen in ``source``."""
    robot = factories.member(campaign, ROBOT, "assessor")
    work = factories.assignment(topic, stage, robot, role="machine")
    made = start_list(actor=robot, assignment=work)
    for text, importance in OFFERED:
        add_nugget(actor=robot, nugget_list=made, text=text, importance=importance, client_key=key(f"robot {text}"))
    if source is not None:
        add_source(
            actor=robot, nugget_list=made, number=1, item=source, quote=source.text, client_key=key("robot source")
        )
    frozen = freeze_list(actor=robot, nugget_list=made, client_key=key("robot freeze"))
    Assignment.objects.filter(pk=work.pk).update(state="done")
    return frozen


def machine_marks(
    campaign: Campaign, topic: Topic, said: list[tuple[Nugget, Item, str]], *, stage: str, name: str = ROBOT
) -> None:
    """A machine says of these nuggets that they are in items: (nugget, item, value)."""
    robot = User.objects.filter(username=name).first() or factories.member(campaign, name, "assessor")
    work = factories.assignment(topic, stage, robot, role="machine")
    for nugget, item, value in said:
        match = MatchInput(
            nugget=nugget,
            item=item,
            value=value,
            how="import",
            client_key=key(f"{name} {nugget.number} {item.pk}"),
        )
        record_match(actor=robot, assignment=work, match=match)
    Assignment.objects.filter(pk=work.pk).update(state="done")


def show(campaign: Campaign, drafts: str = "open", *, share: float = 0.0) -> None:
    """Have assessors see what machines say."""
    Campaign.objects.filter(pk=campaign.pk).update(drafts=drafts, draftless_share=share, draftless_seed=7)
