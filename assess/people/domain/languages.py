"""The language in which somebody reads the pages."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.people.models import PersonLanguage


def require_language(language: str) -> str:
    """Return the code of a language that pages are there in. Refused: any other."""
    if language not in dict(settings.LANGUAGES):
        named = ", ".join(dict(settings.LANGUAGES))
        raise Invalid(
            gettext("There are no pages in “%(language)s”. Languages: %(named)s.")
            % {"language": language[:20], "named": named},
            field="language",
        )
    return language


def choose_language(*, actor: User, language: str) -> None:
    """Keep the language in which the actor reads the pages, wherever they log in. Refused: one that there is not."""
    PersonLanguage.objects.update_or_create(user=actor, defaults={"language": require_language(language)})
