"""Making campaigns, publishing guidelines, and refusing changes of closed campaigns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings as site
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.files import keep_bytes
from assess.campaigns.activity import record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.designs import designs
from assess.campaigns.models import Campaign, Guideline, Membership, Role
from assess.campaigns.queries import lacks_bench, registered_tracks, track_of_text
from assess.campaigns.track_texts import in_language
from assess.protocol import Track

DESIGN_LIMIT = 1_000_000
"""The largest size of a design file in bytes."""

SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?")


def create_campaign(
    *,
    actor: User,
    slug: str,
    title: str,
    track: str = "",
    design: str = "",
    folder: Path | None = None,
    files: Mapping[str, bytes] | None = None,
    settings: Mapping[str, Any] | None = None,
    guidelines: str = "",
) -> Campaign:
    """Make a campaign of a registered track or of a ``design``, and make the actor its organiser.

    The files that a design names are in ``folder`` or are given as ``files``, by name. Version 1 of the ``guidelines``
    is the track's own text unless they are given. Raises `Conflict` for a slug that is taken, and `Invalid` for a
    malformed one, an empty or too long title, a track that is unknown or whose work has no bench here, a design with
    faults or with the key of a registered track, a file that it does not name, and invalid settings.
    """
    found = _track_of_design(design, folder, files or {}) if design or files else _registered(track)
    if not title.strip():
        raise Invalid(gettext("Give the campaign a title."), field="title")
    if not SLUG.fullmatch(slug):
        raise Invalid(
            gettext(
                "“%(slug)s” can't be a short name, since it stands in addresses. Write up to 50 small "
                "letters (a-z), digits and hyphens, with a letter or digit at both ends, such as "
                "tac-2008."
            )
            % {"slug": slug[:60]},
            field="slug",
        )
    campaign = Campaign(slug=slug, title=title.strip(), track=found.key, time_zone=site.TIME_ZONE)
    if design:
        campaign.design = keep_bytes(found.design.encode())
    campaign.lease_hours = found.lease_hours
    campaign.drafts = found.drafts or campaign.drafts
    campaign.settings = checked_settings(track=found, values=settings or {})
    try:
        campaign.clean_fields()
    except ValidationError as error:
        fields = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
        raise Invalid(gettext("The campaign can't be made. %(fields)s") % {"fields": fields}) from error
    try:
        with transaction.atomic():
            campaign.save()
            Membership.objects.create(campaign=campaign, user=actor, role=Role.ORGANISER)
            Guideline.objects.create(
                campaign=campaign, version=1, text=guidelines or found.guidelines, published_by=actor
            )
            record_activity(actor=actor, action="campaign.create", campaign=campaign, about=campaign)
    except IntegrityError as error:
        raise Conflict(
            gettext("There is a campaign “%(slug)s” already. Choose another short name.") % {"slug": slug}, field="slug"
        ) from error
    return campaign


def _registered(key: str) -> Track:
    found = registered_tracks().get(key)
    if found is None:
        known = ", ".join(registered_tracks())
        raise Invalid(
            gettext("There is no track “%(key)s”. Known tracks: %(known)s.") % {"key": key, "known": known},
            field="track",
        )
    if work := lacks_bench(found):
        message = gettext(
            "This site has no bench for the work “%(work)s” of %(track)s: whoever runs it names the kind of work of "
            "that package in the setting ASSAY_KINDS."
        )
        raise Invalid(message % {"work": work, "track": in_language(found.label)}, field="track")
    return found


def _track_of_design(text: str, folder: Path | None, files: Mapping[str, bytes]) -> Track:
    with _beside(text, files) if files else nullcontext(folder) as place:
        found = track_of_text(text, folder=place)
    if found.key in registered_tracks():
        raise Invalid(
            gettext("There is a track “%(key)s” already: give the design another key.") % {"key": found.key},
            field="design",
        )
    return found


def text_with_files(design: str, files: Mapping[str, bytes]) -> str:
    """Return the text of a design with the contents of the files that it names: its base, help and known answers.

    Guidelines remain a file. Raises `Invalid` for a file that the design does not name or that can't be used.
    """
    with _beside(design, files) as folder:
        try:
            return designs().whole(design, folder)
        except ValueError as error:
            raise Invalid(str(error), field="files") from error


@contextmanager
def _beside(design: str, files: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a folder with these files. Raises `Invalid` for a file that the design does not name."""
    for name in files:
        is_short = len(name.encode("utf-8", "replace")) <= 200
        is_plain = name and Path(name).name == name and not name.startswith(".") and "\0" not in name
        if not is_short or not is_plain or name not in design:
            raise Invalid(
                gettext("The design names no file “%(name)s”. Leave it out, or name it there.") % {"name": name[:60]},
                field="files",
            )
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        yield Path(folder)


def checked_settings(*, track: Track, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings as they are stored, checked by the track. Raises `Invalid`, which says what is wrong."""
    try:
        settings = track.settings.from_mapping(values)
    except (TypeError, ValueError) as error:
        raise Invalid(gettext("These settings can't be used: %(error)s") % {"error": error}) from error
    return dict(settings.as_mapping())


def publish_guideline(*, actor: User, campaign: Campaign, text: str, made_from: MadeFrom | None = None) -> Guideline:
    """Publish a new version of the guidelines, which judgments made from now on record. The same text again is no new
    version: the one in force is returned.

    Raises `Invalid` for an empty text, and `Conflict` in a closed campaign and if the version in force is no longer the
    one that the text was ``made_from`` (`guideline_values`).
    """
    if not text.strip():
        raise Invalid(gettext("The guidelines are empty. Write something for the assessors."))
    with transaction.atomic():
        latest = campaign.guidelines.select_for_update(no_key=True).first()
        if latest is not None and latest.text == text:
            return latest
        present = guideline_values(latest)
        require_unchanged(campaign=campaign, present=present, made_from=made_from, action="guideline.publish")
        version = latest.version + 1 if latest is not None else 1
        guideline = Guideline.objects.create(campaign=campaign, version=version, text=text, published_by=actor)
        record_activity(
            actor=actor, action="guideline.publish", campaign=campaign, about=guideline, data={"version": version}
        )
    return guideline


def guideline_values(newest: Guideline | None) -> dict[str, str]:
    """Return the guidelines in force, for `publish_guideline` to compare."""
    return {"text": newest.text if newest is not None else ""}


def require_changeable(campaign: Campaign) -> None:
    """Raise `Conflict` if the campaign is frozen or released, since nothing in it can be changed then."""
    if campaign.is_closed:
        raise Conflict(
            gettext("The campaign is %(get_state_display)s; nothing in it can be changed.")
            % {"get_state_display": campaign.get_state_display()}
        )
