"""Judgments that an evaluation published, found in a campaign's folder and replayed."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import User
from django.utils.text import slugify

from assess.base.errors import Conflict, Invalid
from assess.base.reports import Collector
from assess.base.wording import counted
from assess.campaigns.models import JUDGES, Campaign, Role
from assess.campaigns.tracks import settings_of, track_of
from assess.management import campaign_folder
from assess.management.command import DomainCommand, named_people
from assess.organising.domain.settings import change_settings
from assess.people.domain.members import add_member
from assess.replay.given_items import add_given_items
from assess.replay.replaying import replay_published
from assess.replay.session import Line
from assess.runs.domain.checking import check_context
from scoring.reading import split_issues

NAMES_SHOWN = 5


class PublishedJudgments:
    """The deeds of a folder's files of judgments. Made: read, and their items added; then `replay`."""

    def __init__(self, command: DomainCommand, *, actor: User, campaign: Campaign, folder: Path) -> None:
        """Read all files; any error in one is `BadFile`, and nothing of them is stored."""
        self.command, self.actor, self.campaign = command, actor, campaign
        self.lines: list[Line] = []
        self.settings: dict[str, object] = {}
        context = check_context(campaign)
        for kind in track_of(campaign).judgment_files:
            paths = campaign_folder.matching_files(folder, kind.file_names)
            if not paths:
                continue
            problems = Collector()
            lines = [Line(*each) for each in split_issues(kind.read(paths, context), problems)]
            command.warn(problems.refuse_errors(name=kind.label), name=kind.label)
            command.say(f"judgments: {kind.label}: {len(lines):,} read from {_named(paths)}")
            self.lines += lines
            self.settings |= kind.settings(paths) if kind.settings is not None else {}
        if not self.campaign.is_closed:
            self._set()
        if self.lines:
            added = add_given_items(campaign, self.lines)
            command.say(f"judgments: {added:,} items added that no run returned")

    def _set(self) -> None:
        """Set what the files say besides judgments, where nobody has set it yet."""
        own = track_of(self.campaign).settings().as_mapping()
        present = settings_of(self.campaign).as_mapping()
        for name, value in self.settings.items():
            if value == present[name]:
                continue
            if present[name] != own[name]:
                self.command.say(f"settings: {name} stays as it was set; the file has other text")
                continue
            try:
                change_settings(actor=self.actor, campaign=self.campaign, values={name: value})
                self.command.say(f"settings: {name} taken from the file")
            except Invalid as error:
                self.command.say(f"settings: {name} stays as it was: {error}")

    def replay(self, pairs: list[str]) -> None:
        """Replay them as said by accounts that nobody can log in to, but where ``pairs`` (NAME=USER) name others.

        Who is named so and does not judge here yet becomes an assessor: the campaign may have been made just now.
        Judging is opened by nobody but an organiser; what was stored, and under which accounts, is said.
        """
        if not self.lines:
            return
        if self.campaign.is_closed:
            raise Conflict("The campaign is frozen, so judgments can't be added. Load them before, or into another.")
        people = named_people(pairs)
        for person in people.values():
            if not self.campaign.memberships.filter(user=person, role__in=JUDGES).exists():
                add_member(actor=self.actor, campaign=self.campaign, user=person, role=Role.ASSESSOR)
        others = sorted({line.deed.by for line in self.lines} - people.keys())
        for name in others:
            people[name] = self._person(name)
        done = replay_published(
            actor=self.actor, campaign=self.campaign, lines=self.lines, people=people, name="What was published"
        )
        self.command.say(f"judgments: {done.lines:,} replayed, {done.added:,} rows added")
        if others:
            shown = ", ".join(people[name].username for name in others[:NAMES_SHOWN])
            more = f" and {len(others) - NAMES_SHOWN:,} more" if len(others) > NAMES_SHOWN else ""
            kept = counted(len(others), "account")
            self.command.say(
                f"judgments: kept under {kept} that nobody can log in to, nor is given work: {shown}{more}"
            )
        if self.campaign.state == Campaign.State.SETUP:
            self.command.say("judging: still closed; when all is ready, open it by Change state on the Overview page")

    def _person(self, name: str) -> User:
        """The account under which what this person said is kept; made where there is none."""
        username = f"{slugify(name) or 'somebody'}@{self.campaign.slug}"[:150]
        person, made = User.objects.get_or_create(
            username=username, defaults={"is_active": False, "first_name": name[:150]}
        )
        if made:
            person.set_unusable_password()
            person.save()
        add_member(actor=self.actor, campaign=self.campaign, user=person, role=Role.ASSESSOR)
        return person


def _named(paths: list[Path]) -> str:
    return paths[0].name if len(paths) == 1 else counted(len(paths), "file")
