"""Following the drafts of a release again from its files: what `python -m scoring verify` calls. No Django."""

from __future__ import annotations

from assess.protocol import Track
from assess.releases.domain.draft_acts import Followed, read_acts
from scoring.releases import TOPICS, BadRelease, Release
from tracks import TRACKS
from tracks.rescore import read_topics


def recheck_drafts(release: Release, tracks: tuple[Track, ...] = TRACKS) -> int:
    """How many estimates and accepted topics were computed again of drafts.jsonl, all as it says.

    `BadRelease` names the first line that can't have been, whose estimate does not follow from the documents judged
    before it, or whose topic is not what was drafted.
    """
    track = next((each for each in tracks if each.key == release.manifest["track"]), None)
    if track is None or track.drafting is None:
        raise BadRelease(f"topics of the track “{release.manifest['track']}” are not drafted here")
    topics = {topic.number: topic for topic in read_topics(release.path(TOPICS))}
    followed = Followed(drafting=track.drafting, topics=topics)
    for where, act in read_acts(release):
        followed.take(where, act)
    return followed.compared
