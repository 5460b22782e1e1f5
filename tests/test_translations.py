"""What people read is there in every language, whole: no text without a translation, none with other names in it, no
key that is another one; and programs get the same in whatever language their caller's browser asks for.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import TemplateSyntaxError, engines

from tests.catalogues import ROOT, catalogues, compiled, read, sources

CATALOGUES = catalogues()
NAMES = re.compile(r"%\(\w+\)[sd]|{\w+}|%%")
KEYS = re.compile(r"<kbd>(.*?)</kbd>|\((\w)\)")
TRANSLATED = re.compile(r"{%-? ?(blocktranslate|words).*?{% end\1 %}|{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
NO_TEXT = re.compile(r"<(script|style|code|kbd|pre)\b.*?</\1>|{% block page_class %}.*?{% endblock %}", re.DOTALL)
UNMARKED = re.compile(r">([^<>]*[A-Za-z]{3}[^<>]*)<")
ENGLISH_NUMBER = re.compile(r"""f"{[^"{}]*:,(?:\.\d)?f?}\"""")
BARE = {"Assay", "Assay ·  · Assay"}
"""Words of templates that are the same in every language."""
pytestmark = pytest.mark.xdist_group("translations")


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_every_text_has_its_translation_with_the_same_names_and_keys(path: Path) -> None:
    known, there = read(path), sources(path.stem)
    missing = [texts for texts in there if not all(known.get(texts, ("",)))]
    assert missing == []
    assert [texts for texts in known if texts not in there] == []  # `python -m tests.catalogues` takes them out
    wrong = []
    for texts, said in known.items():
        for text, translation in zip(texts, said, strict=True) if all(said) else ():
            if sorted({*NAMES.findall(text)}) != sorted({*NAMES.findall(translation)}):
                wrong.append((text, translation))
            if path.stem == "django" and sorted(KEYS.findall(text)) != sorted(KEYS.findall(translation)):
                wrong.append((text, translation))
    assert wrong == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_what_is_compiled_is_what_is_written(path: Path) -> None:
    assert path.with_suffix(".mo").read_bytes() == compiled(path)
    assert "fuzzy" not in path.read_text(encoding="utf-8")


def test_no_template_says_anything_that_is_not_marked_for_translation() -> None:
    bare = []
    for path in sorted((ROOT / "templates").rglob("*.html")):
        left = TRANSLATED.sub("", NO_TEXT.sub("", path.read_text(encoding="utf-8")))
        bare += [
            (str(path.relative_to(ROOT)), said.strip()) for said in UNMARKED.findall(left) if said.strip() not in BARE
        ]
    assert bare == []


def test_every_translated_template_can_be_read() -> None:
    """A translation that holds a tag of another form would break its page in that language alone."""
    for path in CATALOGUES:
        for texts in read(path).values():
            for text in texts:
                try:
                    engines["django"].from_string(text)
                except TemplateSyntaxError as error:
                    pytest.fail(f"{text}: {error}")


def test_no_number_in_a_translated_sentence_is_written_in_the_english_way() -> None:
    """`grouped` of `assess.base.numbers` writes 1,234 as 1.234 on a German page."""
    found = []
    for path in sorted([*(ROOT / "assess").rglob("*.py"), *(ROOT / "nuggets").rglob("*.py")]):
        source = path.read_text(encoding="utf-8")
        if "gettext" in source:
            found += [(str(path.relative_to(ROOT)), said) for said in ENGLISH_NUMBER.findall(source)]
    assert found == []


def test_no_style_sheet_says_words_that_nothing_translates() -> None:
    """Words come from an attribute, which a template or a script translates."""
    found = [
        (path.name, said)
        for path in sorted((ROOT / "static" / "css").glob("*.css"))
        for said in re.findall(r'content: "([^"\\]*[A-Za-z]{2}[^"]*)"', path.read_text(encoding="utf-8"))
    ]
    assert found == []
