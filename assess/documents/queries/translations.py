"""Translations of documents, as they are shown next to them, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf.locale import LANG_INFO
from django.db.models import Count
from django.utils.translation import gettext

from assess.campaigns.models import Campaign
from assess.documents.marks import SoughtWords
from assess.documents.models import Document
from assess.rendering.highlight import Piece, highlight_text


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownTranslation:
    """A translation next to its document: its text in pieces, in which what is judged is marked, too."""

    language: str
    tool: str
    pieces: Sequence[Piece]

    @property
    def language_name(self) -> str:
        """The name of the language, or its code if Django has no name for it."""
        return language_name(self.language)


def language_name(code: str) -> str:
    """Return the name of a language in the language of the page.

    >>> language_name("de"), language_name("pt-BR"), language_name("yue")
    ('German', 'Brazilian Portuguese', 'yue')
    """
    lowered = code.lower()
    known = LANG_INFO.get(lowered) or LANG_INFO.get(lowered.partition("-")[0]) or {}
    return gettext(str(known.get("name", "Chinese" if lowered.startswith("zh") else code)))


def translations_of(document: Document, sought: SoughtWords) -> list[ShownTranslation]:
    """Return the translations of a document whose texts are stored, by language. One query."""
    rows = document.campaign.translations.filter(docno=document.docno).exclude(text="").order_by("language")
    return [
        ShownTranslation(
            language=language,
            tool=tool,
            pieces=highlight_text(text, sought.marks_in(text, language.partition("-")[0]))[0],
        )
        for language, tool, text in rows.values_list("language", "tool", "text")
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class TranslationCount:
    """How many documents have a translation into a language."""

    language: str
    documents: int

    @property
    def language_name(self) -> str:
        """The name of the language."""
        return language_name(self.language)


def translation_counts(campaign: Campaign) -> list[TranslationCount]:
    """Return the number of translations into each language. One query."""
    rows = campaign.translations.order_by("language").values_list("language").annotate(documents=Count("pk"))
    return [TranslationCount(language=language, documents=documents) for language, documents in rows]


def translation_rows(campaign: Campaign) -> Iterator[tuple[str, str, str, str]]:
    """Yield (docno, language, tool, sha256) of each translation, in the order in which Python sorts texts, whatever the
    database. One query.
    """
    rows = campaign.translations.order_by().values_list("docno", "language", "tool", "sha256")
    yield from sorted(rows.iterator(2_000))  # an import compares, and the database may sort otherwise
