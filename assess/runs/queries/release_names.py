"""The names under which runs and teams stand in a release, so that nobody sees from it whose run is whose."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from assess.base.wording import letters
from assess.campaigns.models import Campaign
from assess.runs.queries.listing import accepted_runs


@dataclass(frozen=True, kw_only=True, slots=True)
class RunNames:
    """Tag -> "RUN-A", team -> "TEAM-A", and what the key says of each: tag, name, team, team's name, file name."""

    runs: dict[str, str]
    teams: dict[str, str]
    key: tuple[tuple[str, str, str, str, str], ...]

    def key_lines(self) -> list[str]:
        """The key as lines, separated by tabs, with a head."""
        rows = [("name", "tag", "team-name", "team", "file"), *self.key]
        return ["\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows]


def run_names(campaign: Campaign, further: Iterable[str] = (), *, as_of: int | None = None) -> RunNames:
    """The names of all accepted runs, of ``further`` tags that judgments alone score, and of teams without a run that
    accepted the user agreement, up to a ledger point: later ones would change the names of a release made again.

    The order follows from the digests of the files, not from tags or teams, and is the same whenever it is asked. What
    came from a release keeps the names that it had there.
    """
    rows = list(accepted_runs(campaign).values_list("tag", "team", "file", "file_name"))
    rows += [(tag, "", "", "") for tag in sorted(set(further) - {tag for tag, *_ in rows})]
    rows.sort(key=lambda row: hashlib.sha256("\0".join((campaign.slug, row[2], row[0])).encode()).digest())
    kept = _released_names(campaign)
    runs = _named("RUN", [tag for tag, *_ in rows], kept)
    silent = _silent_teams(campaign, {team for _, team, *_ in rows}, as_of)
    teams = _named("TEAM", [*(team for _, team, *_ in rows if team), *silent], kept)
    key = [(runs[tag], tag, teams.get(team, ""), team, name) for tag, team, _, name in rows]
    key.sort(key=lambda row: (len(row[0]), row[0]))
    without_runs = sorted(("", "", teams[team], team, "") for team in silent)
    return RunNames(runs=runs, teams=teams, key=(*key, *without_runs))


def _silent_teams(campaign: Campaign, known: Collection[str], as_of: int | None) -> list[str]:
    """The teams that accepted a user agreement and have no run here, in an order that tells nothing of them."""
    told = campaign.activities.filter(action="agreement.accept")
    told = told if as_of is None else told.filter(id__lte=as_of)
    silent = set(told.order_by().values_list("data__team", flat=True)) - set(known)
    return sorted(silent, key=lambda team: hashlib.sha256("\0".join((campaign.slug, "", team)).encode()).digest())


def _named(kind: str, words: Sequence[str], kept: Collection[str]) -> dict[str, str]:
    """Each word's name: itself where it is kept, else the next that none of them has."""
    names = {word: word for word in words if word in kept}
    free = (name for name in (f"{kind}-{letters(place)}" for place in count(1)) if name not in kept)
    return {word: names.get(word) or next(free) for word in dict.fromkeys(words)}


def _released_names(campaign: Campaign) -> set[str]:
    """The names of runs and teams that came with the release of which the campaign was made; none where it was not."""
    found = campaign.activities.filter(action="release.import").values_list("data", flat=True).first()
    return set(found.get("names", ())) if found else set()
