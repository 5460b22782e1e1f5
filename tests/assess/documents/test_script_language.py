"""The language that screen readers are told of a text."""

from __future__ import annotations

import pytest
from django.template import Context, Template

from assess.documents.script_language import language_of


@pytest.mark.parametrize(
    ("text", "document", "told"),
    [
        ("", "", ""),
        ("1999", "de", "de"),
        ("Wein", "de", "de"),
        ("Wein", "und", ""),
        ("Wein und Käse", "", ""),
        ("Москва", "", "ru"),
        ("Київ", "uk", "uk"),
        ("Boris Nikolajewitsch", "ru", ""),
        ("Борис", "de", "ru"),
        ("الرياض 2034", "", "ar"),
        ("تهران", "fa", "fa"),
        ("ירושלים", "", "he"),
        ("经济学", "", "zh"),
        ("東京タワー", "zh", "ja"),
        ("서울", "", "ko"),
        ("กรุงเทพ", "", "th"),
        ("हिन्दी", "", "hi"),
        ("मराठी", "mr", "mr"),
        ("IBM 东京", "", "zh"),
        ("Αθήνα", "", "el"),
        ("Wein", '"><script>', ""),
    ],
)
def test_a_text_is_read_in_the_language_of_its_letters(text: str, document: str, told: str) -> None:
    assert language_of(text, document) == told


def test_a_template_says_it_of_an_element() -> None:
    tags = "<p {% written text %}></p><p {% written '' language %}></p>{% written 'Wein' %}"
    page = Template(f"{{% load page_parts %}}{tags}")
    context = Context({"text": "القاهرة", "language": "sv"})
    assert page.render(context) == '<p dir="auto" lang="ar"></p><p dir="auto" lang="sv"></p>dir="auto" lang="en"'
