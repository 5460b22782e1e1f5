"""The names under which runs and teams stand in a release, so that nobody sees from it whose run is whose."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from assess.models import Campaign
from assess.queries.exports.pseudonyms import letters
from assess.queries.runs.listing import accepted_runs


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


def run_names(campaign: Campaign, further: Iterable[str] = ()) -> RunNames:
    """The names of all accepted runs, and of ``further`` tags that judgments alone score.

    The order follows from the digests of the files, not from tags or teams, and is the same whenever it is asked.
    """
    rows = list(accepted_runs(campaign).values_list("tag", "team", "file", "file_name"))
    rows += [(tag, "", "", "") for tag in sorted(set(further) - {tag for tag, *_ in rows})]
    rows.sort(key=lambda row: hashlib.sha256("\0".join((campaign.slug, row[2], row[0])).encode()).digest())
    runs = {tag: f"RUN-{letters(place)}" for place, (tag, *_) in enumerate(rows, start=1)}
    named = dict.fromkeys(team for _, team, *_ in rows if team)
    teams = {team: f"TEAM-{letters(place)}" for place, team in enumerate(named, start=1)}
    key = tuple((runs[tag], tag, teams.get(team, ""), team, name) for tag, team, _, name in rows)
    return RunNames(runs=runs, teams=teams, key=key)
