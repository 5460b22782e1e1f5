"""Amend the texts of a topic, such as a typing error or an unclear narrative, whatever has been judged."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.numbers import grouped
from assess.campaigns.activity import checked_reason, lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.protocol import ItemRecord, TopicRecord, Track, Wording
from assess.topics.domain.changing import AMEND, WORDING_LIMIT, topic_numbered
from assess.topics.models import Topic
from assess.topics.queries import all_topics, topic_record, whole_series, wordings_among
from assess.topics.reading_back import require_readable


def amend_topic(
    *, actor: User, campaign: Campaign, number: str, wording: Mapping[str, str], reason: str, seen: str = ""
) -> list[Topic]:
    """Give texts of a topic (by the keys of `wordings_among`) new wordings, and record both. Return the changed topics.

    A text in several records of a series changes in all of them, and so do the items made from it. Other texts stay; if
    nothing changes, nothing is recorded. ``seen`` is the `wording_digest` of the texts that the person saw.

    Refuses a missing reason, an unknown topic or text, an empty or too long text, a text that would change which items
    are judged or that the topic's own file can't contain, texts that changed since they were seen, and a closed
    campaign.
    """
    missing = gettext("Say why the topic is amended: whoever judges it reads the reason.")
    reason = checked_reason(reason, missing, field="reason")
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        named = topic_numbered(all_topics(campaign).select_related("parent"), number)
        series = whole_series(named)
        records = {topic.number: topic_record(topic) for topic in series}
        texts = {each.key: each for each in wordings_among(campaign, records[named.number], tuple(records.values()))}
        if seen and seen != wording_digest(texts.values()):
            raise Conflict(
                gettext("Somebody changed the topic since you opened the page. Look at it again."), code="unseen"
            )
        new = {key: text for key, text in _checked(texts, wording).items() if text != texts[key].text}
        if not new:
            return []
        after = _amended(records, texts, new)
        changed = [topic for topic in series if after[topic.number] != records[topic.number]]
        _require_still_readable(track_of(campaign), list(records.values()), list(after.values()))
        for topic in changed:
            _move_items(campaign, topic, records[topic.number], after[topic.number])
            topic.text, topic.fields = after[topic.number].text, dict(after[topic.number].fields)
            topic.save(update_fields=["text", "fields"])
        data: dict[str, Any] = {
            "number": named.number,
            "topics": [topic.number for topic in changed],
            "reason": reason,
            "before": {key: texts[key].text for key in new},
            "after": new,
        }
        record_activity(actor=actor, action=AMEND, campaign=campaign, about=named, data=data)
    return changed


def wording_digest(texts: Any) -> str:
    """Return a digest that changes when any of these texts does. Forms send it back."""
    said = json.dumps([[each.key, each.text] for each in texts], ensure_ascii=False)
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()[:20]


def _checked(texts: Mapping[str, Wording], wording: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for key, text in wording.items():
        if key not in texts:
            raise Invalid(
                gettext(
                    "“%(key)s” can't be amended. These can: %(texts)s. A topic's number, its type and what tells its "
                    "items apart stay as they are: to change them, drop the topic and load another."
                )
                % {"key": key[:40], "texts": ", ".join(texts)},
                field="wording",
            )
        clean = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()
        if clean == texts[key].text.strip():
            clean = texts[key].text
        if not clean:
            raise Invalid(
                gettext("“%(texts)s” is empty. Write what it says now, or drop the topic.")
                % {"texts": texts[key].label},
                field="wording",
            )
        if len(clean) > WORDING_LIMIT:
            raise Invalid(
                gettext("“%(texts)s” has %(clean)s characters; %(wording_limit)s are allowed.")
                % {"texts": texts[key].label, "clean": grouped(len(clean)), "wording_limit": grouped(WORDING_LIMIT)},
                field="wording",
            )
        found[key] = clean
    return found


def _amended(
    records: Mapping[str, TopicRecord], texts: Mapping[str, Wording], new: Mapping[str, str]
) -> dict[str, TopicRecord]:
    """Return the records with the new texts in all places that have the old ones."""
    texts_of = {number: record.text for number, record in records.items()}
    fields = {number: copy.deepcopy(dict(record.fields)) for number, record in records.items()}
    for key, text in new.items():
        for number, way in texts[key].places:
            if way == ("text",):
                texts_of[number] = text
                continue
            into: Any = fields[number]
            for step in way[:-1]:
                into = into[step]
            into[way[-1]] = text
    return {number: replace(record, text=texts_of[number], fields=fields[number]) for number, record in records.items()}


def _require_still_readable(track: Track, before: Sequence[TopicRecord], after: Sequence[TopicRecord]) -> None:
    """Refuse topics that the track's own reader would not accept from a file, unless it did not accept the old ones
    either.
    """
    try:
        require_readable(track, before)
    except Invalid:
        return
    require_readable(track, after)


def _move_items(campaign: Campaign, topic: Topic, before: TopicRecord, after: TopicRecord) -> None:
    """Give the items that a topic makes their new texts. Refuse a text that would make items of other kinds or keys."""
    old, new = _items_of(campaign, before), _items_of(campaign, after)
    if [(each.kind, each.key) for each in old] != [(each.kind, each.key) for each in new]:
        raise Conflict(
            gettext(
                "What is judged of %(topic)s is made of this text, and would be another item with another text. Drop "
                "the topic, and load it under another number."
            )
            % {"topic": topic.number},
            field="wording",
        )
    for was, now in zip(old, new, strict=True):
        if was != now:
            same = topic.items.filter(
                Q(kind=now.kind, key=now.key) | Q(repeats__kind=now.kind, repeats__key=now.key), given=True
            )
            topic.items.filter(pk__in=list(same.values_list("pk", flat=True))).update(text=now.text)


def _items_of(campaign: Campaign, record: TopicRecord) -> Sequence[ItemRecord]:
    task = track_of(campaign).task(record.task)
    recipes = task.pooling if task is not None else ()
    settings = settings_of(campaign)
    return [item for recipe in recipes if recipe.items is not None for item in recipe.items(record, settings)]
