"""What is shown of a topic beside the work, as its track says."""

from __future__ import annotations

from assess.campaigns.tracks import track_of
from assess.protocol import ContextPart
from assess.topics.models import Topic
from assess.topics.queries.topics import topic_record

DEEPEST = 10


def topic_context(topic: Topic) -> tuple[ContextPart, ...]:
    """The parts of what is shown of a topic: narrative, turns before, statements; empty where the track says nothing.

    The ancestors go to the track with the nearest first. No query beyond the ancestors that are not loaded yet.
    """
    context = track_of(topic.campaign).context
    if context is None:
        return ()
    ancestors: list[Topic] = []
    above = topic.parent
    while above is not None and len(ancestors) < DEEPEST:
        ancestors.append(above)
        above = above.parent
    return tuple(context(topic_record(topic), tuple(topic_record(each) for each in ancestors)))
