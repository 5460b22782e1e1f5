"""The language in which a person reads the pages."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.people.models import PersonLanguage


def require_language(language: str) -> str:
    """Return the code of a language in which there are pages. Any other is refused."""
    if language not in dict(settings.LANGUAGES):
        named = ", ".join(dict(settings.LANGUAGES))
        raise Invalid(
            gettext("There are no pages in “%(language)s”. Languages: %(named)s.")
            % {"language": language[:20], "named": named},
            field="language",
        )
    return language


def choose_language(*, actor: User, language: str) -> None:
    """Store the language in which the actor reads the pages, for every login. An unknown language is refused."""
    PersonLanguage.objects.update_or_create(user=actor, defaults={"language": require_language(language)})
