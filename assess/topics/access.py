"""Find topics and their files for a person's seat in a campaign. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.base.errors import NotFound
from assess.campaigns.models import Part
from assess.campaigns.seats import Seat
from assess.protocol import TopicFile
from assess.topics.models import Topic
from assess.topics.queries import all_topics, topic_files
from assess.user_agreements.access import require_open_to


def access_topics(seat: Seat) -> QuerySet[Topic]:
    """Return the topics of the campaign, including dropped ones.

    All members may see them. Refused like `require_open_to` for participants before the topics' release, or before
    their team has accepted the user agreement.
    """
    require_open_to(seat, Part.TOPICS)
    return all_topics(seat.campaign)


def access_topic(seat: Seat, number: str) -> Topic:
    """Return a topic of those that `access_topics` returns. Raise `NotFound` if there is none with this number."""
    topic = access_topics(seat).filter(number=number.replace("\0", "")).select_related("parent").first()
    if topic is None:
        raise NotFound
    return topic


def access_topic_file(seat: Seat, key: str) -> TopicFile:
    """Return the kind of topic file with this key, for organisers and participants to download.

    Raises `NotFound` for an unknown key and for everybody else, and refuses what `access_topics` refuses.
    """
    if not seat.is_organiser and not seat.is_participant:
        raise NotFound
    require_open_to(seat, Part.TOPICS)
    found = next((each for each in topic_files(seat.campaign) if each.key == key), None)
    if found is None:
        raise NotFound
    return found
