"""Suggested answers that come with a design before there are items: stored, and recorded when items are pooled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.base.errors import BadFile, Conflict, Refused
from assess.base.file_issues import Collector
from assess.base.files import keep_bytes, kept_size, open_file
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import track_of
from assess.machines.domain import import_machine_judge
from assess.machines.files import named_copies, read_files
from assess.protocol import JudgmentFile
from scoring.reading.opening import split_issues

BRING, IMPORT = "machine.bring", "machine.import"


def store_suggested_answers(*, actor: User, campaign: Campaign, files: Mapping[str, bytes]) -> None:
    """Store those of the files, given by name, that hold answers which the campaign's design suggests.

    Refused: lines that can't be read or that answer something that is not asked; the first of them is named by its
    number.
    """
    for kind in _suggesting(campaign):
        for name in (each for each in kind.file_names if each in files):
            problems = Collector()
            with named_copies([(name, BytesIO(files[name]))]) as paths:
                for _ in split_issues(read_files(campaign, paths), problems):
                    pass
            try:
                problems.refuse_errors(name=name)
            except BadFile as refused:
                first = next(each for each in refused.issues if each.severity == "error")
                message = f"{refused.message} Line {first.where}: {first.message}"
                raise BadFile(message, issues=refused.issues, total=refused.total) from refused
            data = {"machine": kind.of_machine, "file": name, "sha256": keep_bytes(files[name])}
            record_activity(actor=actor, action=BRING, campaign=campaign, about=campaign, data=data)


@dataclass(frozen=True, kw_only=True, slots=True)
class SuggestedFile:
    """A file of answers that the design names: its machine judge, whether it came with the design, and whether it is
    stored now.
    """

    name: str
    machine: str
    is_brought: bool
    is_here: bool


def suggested_files(campaign: Campaign) -> list[SuggestedFile]:
    """Return the files of answers that the campaign's design names. Two queries, or none if it names no file."""
    kinds = _suggesting(campaign)
    if not kinds:
        return []
    acts = campaign.activities.filter(action=BRING).order_by()
    brought = {data["machine"] for data in acts.values_list("data", flat=True)}
    members = campaign.memberships.filter(is_machine=True).order_by()
    here = brought | set(members.values_list("user__first_name", flat=True))
    return [
        SuggestedFile(
            name=each.file_names[0],
            machine=each.of_machine,
            is_brought=each.of_machine in brought,
            is_here=each.of_machine in here,
        )
        for each in kinds
    ]


def _suggesting(campaign: Campaign) -> list[JudgmentFile]:
    return [each for each in track_of(campaign).judgment_files if each.of_machine]


def record_stored_answers(*, actor: User, campaign: Campaign) -> None:
    """Record the stored answers for all items that exist now, unless the judge's answers were imported since. Values
    that the design moved since they came are moved.

    What `import_machine_judge` refuses is refused. No query if the design suggests nothing.
    """
    wanted = {each.of_machine for each in _suggesting(campaign)}
    acts = campaign.activities.filter(action__in=(BRING, IMPORT)).order_by("id") if wanted else ()
    newest: dict[str, Activity] = {}
    for act in acts:
        if act.action == BRING or "brought" not in act.data:
            newest[act.data.get("name") or act.data["machine"]] = act
    for machine, act in newest.items():
        if machine not in wanted or act.action != BRING or not kept_size(act.data["sha256"]):
            continue
        try:
            with _copied(act.data["file"], act.data["sha256"]) as path:
                import_machine_judge(
                    actor=actor, campaign=campaign, name=machine, paths=[path], in_setup=True, brought_at=act.pk
                )
        except Refused as refused:
            raise Conflict(
                gettext("The pool is built, but its suggested answers were not recorded. %(message)s")
                % {"message": refused.message}
            ) from refused


@contextmanager
def _copied(name: str, sha256: str) -> Iterator[Path]:
    with open_file(sha256) as file, named_copies([(name, file)]) as paths:
        yield paths[0]
