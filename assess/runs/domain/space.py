"""The disk space of a team's runs: how much they use and may use, and whose files are deleted.

A team's tries (runs that were rejected or withdrawn) and the bytes of its files are limited in each campaign by the
settings `ASSAY_TEAM_TRIES` and `ASSAY_TEAM_MB`. The file of a rejected run is deleted when another run under the same
tag is decided; its report stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext

from assess.base.errors import Conflict
from assess.base.files import StoredFile, drop_file, kept_size
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.runs.models import Run
from assess.runs.queries import older_attempts

MB = 1_000_000
TRIED = (Run.State.REJECTED, Run.State.WITHDRAWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class TeamSpace:
    """How many runs a team has, how many were rejected or withdrawn, and how many bytes its stored files have."""

    team: str
    runs: int
    tries: int
    size: int

    @property
    def megabytes(self) -> float:
        """The bytes in millions."""
        return self.size / MB

    @property
    def sentence(self) -> str:
        """A sentence on how much of its limits the team uses."""
        return gettext(
            "%(team)s uses %(megabytes)s of %(assay_team_mb)s MB for its files, and %(tries)s of %(assay_team_tries)s "
            "runs that may be rejected or withdrawn."
        ) % {
            "team": self.team,
            "megabytes": grouped(self.megabytes, 1),
            "assay_team_mb": grouped(settings.ASSAY_TEAM_MB),
            "tries": grouped(self.tries),
            "assay_team_tries": grouped(settings.ASSAY_TEAM_TRIES),
        }


def list_spaces(campaign: Campaign, teams: Collection[str] | None = None) -> list[TeamSpace]:
    """Return what each team uses, by name; with ``teams``, only these, also those without runs.

    One query, and a look at the disk for each stored file.
    """
    runs = campaign.runs.all() if teams is None else campaign.runs.filter(team__in=teams)
    states: dict[str, list[str]] = {team: [] for team in sorted(teams or ())}
    files: dict[str, set[str]] = {}
    for team, state, file, repaired in runs.order_by("team").values_list("team", "state", "file", "repaired"):
        states.setdefault(team, []).append(state)
        files.setdefault(team, set()).update({file, repaired} - {""})
    return [
        TeamSpace(
            team=team,
            runs=len(each),
            tries=sum(state in TRIED for state in each),
            size=sum(map(kept_size, files.get(team, ()))),
        )
        for team, each in states.items()
    ]


def require_space(*, campaign: Campaign, team: str, tag: str, size: int) -> None:
    """Refuse a file of ``size`` bytes if the team would exceed its limit of bytes or has tried too often.

    Rejected files under the same ``tag`` do not count towards the bytes, since this file replaces them; as tries they
    do.
    """
    (used,) = list_spaces(campaign, [team])
    if used.tries >= settings.ASSAY_TEAM_TRIES:
        raise Conflict(
            gettext(
                "%(tries)s runs of %(team)s were rejected or withdrawn, and no more are taken. Check the file without "
                "submitting it until it passes, then write to the organiser, who can submit it for you."
            )
            % {"tries": grouped(used.tries), "team": team}
        )
    replaced = campaign.runs.filter(team=team, tag=tag, state=Run.State.REJECTED).values_list("file", flat=True)
    would_be = used.size + size - sum(map(kept_size, set(replaced)))
    if would_be > settings.ASSAY_TEAM_MB * MB:
        raise Conflict(
            gettext(
                "The files of %(team)s would take %(would_be)s MB, and a team has %(assay_team_mb)s MB in a campaign. "
                "Submit a run that was rejected again under its own tag, so that it takes the place of that file, or "
                "write to the organiser, who can submit it for you."
            )
            % {"team": team, "would_be": grouped(would_be / MB, 1), "assay_team_mb": grouped(settings.ASSAY_TEAM_MB)}
        )


def drop_older_attempts(run: Run) -> None:
    """Delete the files of the team's earlier rejected runs under this run's tag, unless another run needs them."""
    same = run.campaign.runs.filter(team=run.team, tag=run.tag, pk__lte=run.pk)
    for file, repaired in same.filter(older_attempts()).values_list("file", "repaired"):
        for digest in {file, repaired} - {""}:
            others = Run.objects.filter(Q(file=digest) | Q(repaired=digest)).exclude(older_attempts())
            if not others.exists():
                drop_file(digest)


@contextmanager
def dropped_if_refused(kept: list[StoredFile]) -> Iterator[None]:
    """Delete the files ``kept`` for a refused run if the block raises, unless another run has the same file."""
    try:
        yield
    except BaseException:
        for each in kept:
            if not Run.objects.filter(Q(file=each.sha256) | Q(repaired=each.sha256)).exists():
                drop_file(each.sha256)
        raise
