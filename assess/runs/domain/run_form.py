"""The submission form of a run: completed from the file, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO

from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.numbers import grouped
from assess.campaigns.track_texts import in_language
from assess.protocol import RunForm, Submission
from assess.runs.models import Run
from scoring.reading.unpacking import damage_errors

PUBLISHED_TAG_LIMIT, TEAM_LIMIT, TEXT_LIMIT = 100, 50, 10_000


class Incomplete(Invalid):
    """A form that is not filled in. ``problems`` maps a field's name (for track questions, their key) to a sentence."""

    code = "form"

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = dict(problems)


def asks_file(submission: Submission, form: RunForm) -> bool:
    """Return whether values that the form leaves out are read from the file."""
    if submission.form is not None:
        return True
    return submission.tag is not None and not submission.priorities and not form.tag.strip()


def complete_form(submission: Submission, stream: BinaryIO | None, form: RunForm) -> RunForm:
    """Return the form, with the values that it leaves out read from the file.

    If there is no tag then, it is made of team and priority. A run is manual if either the form or the file says so. A
    stream that can be read only once is not read; others are rewound.
    """
    form = replace(form, tag=form.tag.strip(), team=form.team.strip())
    if stream is not None and stream.seekable() and asks_file(submission, form):
        form = _joined(form, _form_in_file(submission, stream))
    if form.tag or not form.team or form.priority is None:
        return form
    return replace(form, tag=f"{form.team}{form.priority}")


def _form_in_file(submission: Submission, stream: BinaryIO) -> RunForm:
    start = stream.tell()
    try:
        if submission.form is not None:
            return submission.form(stream) or RunForm()
        return RunForm(tag=(submission.tag(stream) if submission.tag is not None else "") or "")
    except damage_errors():
        return RunForm()
    finally:
        stream.seek(start)


def _joined(form: RunForm, said: RunForm) -> RunForm:
    return replace(
        form,
        tag=form.tag or said.tag.strip(),
        team=form.team or said.team.strip(),
        priority=form.priority if form.priority is not None else said.priority,
        automatic=form.automatic and said.automatic,
        description=form.description or said.description,
        fields={**said.fields, **{key: value for key, value in form.fields.items() if value != ""}},
    )


def require_complete(form: RunForm, submission: Submission, *, published: bool = False) -> None:
    """Refuse a form with missing or overlong values, naming all of them (`Incomplete`).

    A run tag must follow the rule of its kind (`Submission.tags`). Runs ``published`` by an evaluation keep their tags,
    which must be one word.
    """
    wrong = {}
    if problem := _tag_problem(form.tag, submission, published=published):
        wrong["tag"] = problem
    if not any(letter.isalnum() for letter in form.team) or len(form.team) > TEAM_LIMIT:
        wrong["team"] = gettext(
            "Give the team, in at most %(team_limit)s characters, one of them a letter or a digit."
        ) % {"team_limit": TEAM_LIMIT}
    if submission.priorities and form.priority not in submission.priorities:
        allowed = ", ".join(map(str, submission.priorities))
        wrong["priority"] = gettext("Give the priority: one of %(allowed)s.") % {"allowed": allowed}
    if not submission.priorities and form.priority is not None:
        wrong["priority"] = gettext("Runs of this kind have no priority. Leave it out.")
    if len(form.description) > TEXT_LIMIT:
        wrong["description"] = gettext("Shorten the description to %(text_limit)s characters.") % {
            "text_limit": grouped(TEXT_LIMIT)
        }
    for field in submission.fields:
        value = form.fields.get(field.key, "")
        choices = [choice for choice, _ in field.choices]
        if not value and field.required:
            wrong[field.key] = gettext("Answer “%(field)s”.") % {"field": field.label}
        elif value and choices and value not in choices:
            wrong[field.key] = gettext("“%(field)s” must be one of: %(choices)s.") % {
                "field": field.label,
                "choices": ", ".join(choices),
            }
        elif len(str(value)) > TEXT_LIMIT:
            wrong[field.key] = gettext("Shorten “%(field)s” to %(text_limit)s characters.") % {
                "field": field.label,
                "text_limit": grouped(TEXT_LIMIT),
            }
    if unknown := set(form.fields) - {field.key for field in submission.fields}:
        wrong[""] = gettext("There is no question %(unknown)s in the form.") % {"unknown": ", ".join(sorted(unknown))}
    if wrong:
        raise Incomplete(wrong)


def _tag_problem(tag: str, submission: Submission, *, published: bool) -> str:
    """Return what is wrong with a run tag, or "" if nothing is."""
    if published or submission.for_organisers:
        if not tag or len(tag) > PUBLISHED_TAG_LIMIT or len(tag.split()) != 1 or not tag.isprintable():
            return gettext("Give the run tag: one word of at most %(published_tag_limit)s characters.") % {
                "published_tag_limit": PUBLISHED_TAG_LIMIT
            }
        return ""
    if not tag:
        return gettext("Give the run tag: %(words)s.") % {"words": in_language(submission.tags.words)}
    if not submission.tags.allows(tag):
        return submission.tags.issue(tag).message
    return ""


def form_of(run: Run) -> RunForm:
    """Return the form with which the run was submitted."""
    return RunForm(
        tag=run.tag,
        team=run.team,
        priority=run.priority,
        automatic=run.automatic,
        description=run.description,
        fields=run.fields,
    )
