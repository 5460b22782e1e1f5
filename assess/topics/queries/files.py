"""Topics in the track's own format, as participants are given them."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import BooleanField, ExpressionWrapper, Q

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.protocol import TopicFile
from assess.topics.queries.topics import topic_records


def topic_files(campaign: Campaign) -> list[TopicFile]:
    """The kinds of topic files that the campaign's topics can be given out in; none without topics. One query."""
    known = [each for each in track_of(campaign).topic_files if each.write is not None]
    if not known:
        return []
    stands_under = ExpressionWrapper(Q(parent__isnull=False), output_field=BooleanField())
    found = campaign.topics.order_by().annotate(stands_under=stands_under)
    shapes = set(found.values_list("task", "stands_under").distinct())
    return [each for each in known if shapes and (not each.shapes or each.shapes & shapes)]


def topic_file_lines(campaign: Campaign, found: TopicFile) -> Iterator[bytes]:
    """The lines of such a file, with their ends; `TopicFile.read` reads the same topics back."""
    for line in found.write(topic_records(campaign)) if found.write is not None else ():
        yield f"{line}\n".encode()
