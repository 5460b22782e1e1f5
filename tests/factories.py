"""One plain function a model: no surprises, no randomness. They write through the models, not the domain,
so that a test of the domain starts from rows that the domain did not make.
"""

from __future__ import annotations

import hashlib
import io
from functools import cache

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.utils import timezone

from assess.base.files import store_file
from assess.documents.domain.indexing import add_words, index_form
from assess.documents.words import tell_language
from assess.models import (
    Assignment,
    Campaign,
    Document,
    DocumentBody,
    Guideline,
    Item,
    Membership,
    Pool,
    PoolItem,
    Release,
    Response,
    Run,
    Segment,
    Topic,
)
from assess.people.domain.names import looks
from assess.people.models import AccountName, ApiToken, Invitation
from assess.rendering.rendered import PAGE_VERSION
from scoring.folding import answer_key

PASSWORD = "a password for tests only"


def user(name: str, **fields: object) -> User:
    """An account as it is stored, whose name nobody checked; how it looks is kept as of any other."""
    made = User(username=name, password=_hashed(settings.PASSWORD_HASHERS[0]), **fields)
    User.objects.bulk_create([made])
    if made.is_active:
        AccountName.objects.create(user=made, looks_like=looks(name))
    return made


@cache
def _hashed(hasher: str) -> str:
    """The password as it is stored: once a process, since the hasher of a real site takes a third of a second."""
    return make_password(PASSWORD)


def api_token(person: User, scopes: str = "read judge submit organise") -> str:
    """What a program sends that logs in as this person."""
    text = f"a_token_of_{person.username}_to_{scopes.replace(' ', '_')}"
    ApiToken.objects.create(user=person, name="a test", scopes=scopes, sha256=hashlib.sha256(text.encode()).hexdigest())
    return text


def campaign(*, organiser: User, slug: str = "opinions", track: str = "tac2008-qa") -> Campaign:
    made = Campaign.objects.create(slug=slug, title="Opinions 2008", track=track, state=Campaign.State.JUDGING)
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    Guideline.objects.create(campaign=made, version=1, text="Judge with care.", published_by=organiser)
    target = topic(made, "1", "Velora bicycles", task="")
    topic(made, "1.1", "Which colours do people like?", task="rigid", parent=target, ordinal=1)
    topic(made, "1.2", "What do people say about them?", task="squishy", parent=target, ordinal=2)
    return made


def member(campaign: Campaign, name: str, role: str, *, team: str = "") -> User:
    made = user(name)
    Membership.objects.create(campaign=campaign, user=made, role=role, team=team)
    return made


def topic(
    campaign: Campaign, number: str, text: str, *, task: str, parent: Topic | None = None, ordinal: int = 0
) -> Topic:
    return Topic.objects.create(campaign=campaign, number=number, text=text, task=task, parent=parent, ordinal=ordinal)


def document(campaign: Campaign, docno: str, text: str = "I like the blue bicycle.") -> Document:
    raw = f"<html><body><p>{text}</p></body></html>".encode()
    digest = hashlib.sha256(text.encode()).hexdigest()
    import zlib

    made = Document.objects.create(
        campaign=campaign,
        docno=docno,
        media_type="text/html",
        size=len(raw),
        sha256=hashlib.sha256(raw).hexdigest(),
        source_file="made by a factory",
        source_offset=0,
        text_sha256=digest,
        text_version="test",
        page_version=PAGE_VERSION,
        language=tell_language(text),
    )
    page = f"<!DOCTYPE html><html><head><meta charset=utf-8></head><body><p>{text}</p></body></html>"
    DocumentBody.objects.create(document=made, raw=zlib.compress(raw), page=zlib.compress(page.encode()), text=text)
    add_words([(made.pk, index_form(text, made.language))])
    return made


def item(topic: Topic, text: str, docno: str = "BLOG06-20060101-000-0000000001") -> Item:
    return items(topic, [text], docno)[0]


def items(topic: Topic, texts: list[str], docno: str = "BLOG06-20060101-000-0000000001") -> list[Item]:
    found = topic.campaign.documents.filter(docno=docno).first()
    return Item.objects.bulk_create(
        Item(topic=topic, kind="instance", key=answer_key(text, docno), text=text, docno=docno, document=found)
        for text in texts
    )


def pooled(topic: Topic, texts: list[str]) -> list[Item]:
    """Items of the topic in a pool of its task, one for each text."""
    pool, _ = Pool.objects.get_or_create(campaign=topic.campaign, task=topic.task, recipe={}, digest="0" * 64)
    made = items(topic, texts)
    PoolItem.objects.bulk_create(PoolItem(pool=pool, item=each) for each in made)
    return made


def run(campaign: Campaign, tag: str, by: User, *, team: str = "", priority: int = 1) -> Run:
    return Run.objects.create(
        campaign=campaign,
        submission="run",
        tag=tag,
        team=team or tag[:-1],
        priority=priority,
        file="0" * 64,
        file_name=f"{tag}.txt",
        size=0,
        state=Run.State.ACCEPTED,
        submitted_by=by,
    )


def response(run: Run, topic: Topic, items: list[Item]) -> Response:
    made = Response.objects.create(run=run, topic=topic)
    Segment.objects.bulk_create(
        Segment(response=made, ordinal=ordinal, text=found.text, docno=found.docno, line=ordinal, item=found)
        for ordinal, found in enumerate(items, start=1)
    )
    return made


def release(
    campaign: Campaign,
    by: User,
    *,
    published: bool = False,
    public: bool = False,
    archive: bytes = b"a zip",
    as_of: int = 0,
) -> Release:
    kept = store_file(io.BytesIO(archive))
    manifest = {
        "campaign": {"slug": campaign.slug, "title": campaign.title},
        "track": campaign.track,
        "files": {"README.md": {"sha256": "0" * 64, "size": 0}},
    }
    return Release.objects.create(
        campaign=campaign,
        as_of=as_of,
        manifest=manifest,
        archive=kept.sha256,
        code_version="0.1.0+00000000",
        published=published,
        public=public,
        created_by=by,
    )


def assignment(
    topic: Topic, stage: str, assessor: User, *, role: str = "primary", state: str = "started"
) -> Assignment:
    return Assignment.objects.create(
        campaign=topic.campaign,
        topic=topic,
        stage=stage,
        assessor=assessor,
        role=role,
        state=state,
        seed=1,
        started_at=timezone.now() if state != "open" else None,
    )


def invited(campaign: Campaign, person: User, by: User, role: str = "assessor") -> Invitation:
    """An invitation that somebody accepted."""
    digest = hashlib.sha256(person.username.encode()).hexdigest()
    now = timezone.now()
    return Invitation.objects.create(
        campaign=campaign,
        role=role,
        token_sha256=digest,
        expires_at=now,
        created_by=by,
        accepted_by=person,
        accepted_at=now,
    )
