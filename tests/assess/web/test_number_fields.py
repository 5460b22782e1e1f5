"""Numbers that people type, with a point or a comma: taken as what they are, or told; never taken for another."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.utils import translation

from assess.base.numbers import TwoNumbers, typed_number
from assess.web.number_fields import DecimalField, WholeNumberField

DECIMALS = {
    "0,05": 0.05, "0.05": 0.05, "1,5": 1.5, "1.5": 1.5, "-1,5": -1.5, " 12 ": 12, "0,125": 0.125, "0.125": 0.125,
    "1.000,5": 1000.5, "1,000.5": 1000.5, "1.000.000": 1e6, "1 000": 1000, "1\u202f000,5": 1000.5, "1'000": 1000,
    "1e3": 1000, "1,5e-3": 0.0015, ",5": 0.5, "12500": 12500,
}  # fmt: skip
ROOT = Path(__file__).resolve().parents[3]
NONE = ("1,5,3", "1.000.5", "1,2.3,4", "1.00,0", "x", "0x10", "1 00", "--1", "1-2")


class Asked(forms.Form):
    """Asks for both."""

    whole = WholeNumberField(required=False, min_value=1, max_value=10_000)
    decimal = DecimalField(required=False)


def cleaned(name: str, text: str) -> Any:
    form = Asked({name: text})
    return form.cleaned_data[name] if form.is_valid() else " ".join(form.errors[name])


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(("text", "number"), DECIMALS.items())
def test_a_decimal_is_the_same_in_both_languages(language: str, text: str, number: float) -> None:
    with translation.override(language):
        assert cleaned("decimal", text) == number == float(typed_number(text))


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_number_is_none(text: str) -> None:
    assert isinstance(cleaned("decimal", text), str)
    assert isinstance(cleaned("whole", text), str)


@pytest.mark.parametrize(
    ("language", "name", "text", "said"),
    [
        ("en", "decimal", "1.250", 1.25), ("en", "decimal", "1,250", "“1,250” may be 1.25 or 1250."),
        ("de", "decimal", "1,250", 1.25), ("de", "decimal", "1.250", "„1.250“ kann 1,25 oder 1250 heißen."),
        ("en", "whole", "1,000", 1000), ("en", "whole", "1.000", "“1.000” may be 1 or 1000."),
        ("de", "whole", "1.000", 1000), ("de", "whole", "1,000", "„1,000“ kann 1 oder 1000 heißen."),
        ("de", "whole", "1.000.000", "10000"), ("en", "whole", "1.5", "whole number"), ("de", "whole", "7", 7),
    ],
)  # fmt: skip
def test_what_may_be_two_numbers_is_told(language: str, name: str, text: str, said: object) -> None:
    with translation.override(language):
        found = cleaned(name, text)
    assert said in found if isinstance(said, str) else found == said


def test_a_stored_number_stands_in_its_field_as_the_page_writes_it_and_comes_back_as_it_was() -> None:
    for language, written in (("en", "1.125"), ("de", "1,125")):
        with translation.override(language):
            form = Asked(initial={"decimal": 1.125})
            assert f'value="{written}"' in str(form["decimal"]) and 'type="text"' in str(form["decimal"])
            assert cleaned("decimal", written) == 1.125
            with pytest.raises(TwoNumbers):
                typed_number(json.dumps(1.125) if language == "de" else "1,125")


def test_no_page_has_a_field_that_drops_a_comma() -> None:
    forms_of_django = re.compile(r"forms\.(IntegerField|FloatField|DecimalField|NumberInput)\(")
    found = [path for path in (ROOT / "templates").rglob("*.html") if 'type="number"' in path.read_text()]
    sources = [path for app in ("assess", "nuggets", "assay_site") for path in (ROOT / app).rglob("*.py")]
    assert found + [path for path in sources if forms_of_django.search(path.read_text())] == []
