"""In which encoding a page is that declares none; Chromium reads these alike (`browser/test_painted_text.py`)."""

from __future__ import annotations

import pytest

from assess.rendering.encoding import decode_page, detect_encoding
from tests.assess.rendering.encoded_pages import SCRIPTS, TEXTS, page_in

ENGLISH = "<p>Copyright 2006, all rights reserved, by the makers of these pages.</p>\n" * 30


@pytest.mark.parametrize("around", ["", SCRIPTS + ENGLISH], ids=["short", "in-much-ascii"])
def test_a_page_that_declares_no_encoding_is_read(around: str) -> None:
    read = {name: decode_page(page_in(name, text, around), None)[0] for name, text in TEXTS.items()}
    assert read == {name: f"<title>{text}</title>{around}<p>{text}</p>{around}" for name, text in TEXTS.items()}


@pytest.mark.parametrize(
    "text",
    ["café", "naïve résumé", "It’s “here” — again…", "© 2006", "£20 », • ®", "½ cup of crème brûlée at 30°", "Zoë"],
)
def test_a_word_or_a_sign_in_english_is_taken_for_windows_1252(text: str) -> None:
    for around in ("", ENGLISH):
        raw = page_in("windows-1252", f"A page in English: {text}", around)
        assert decode_page(raw, None)[0] == raw.decode("cp1252")


def test_what_is_declared_and_utf_8_come_before_what_is_found() -> None:
    russian = page_in("windows-1251", TEXTS["windows-1251"])
    assert detect_encoding(russian, "iso-8859-1") == ("windows-1252", 0)
    assert detect_encoding(b"<meta charset=koi8-r>" + russian, None) == ("koi8-r", 0)
    assert detect_encoding(TEXTS["koi8-r"].encode(), None) == ("utf-8", 0)
    assert detect_encoding(russian, "no-such-encoding") == ("windows-1251", 0)


def test_an_encoding_reads_what_browsers_read_by_its_name() -> None:
    """“Shift_JIS” of the Encoding Standard has what Windows added; Python's codec of that name has not."""
    declared = {
        "shift_jis": b"\x87\x40\x8d\x82\xfb\xfc",
        "euc-kr": b"\x8c\x63",
        "gb2312": b"\x95\x8b",
        "big5": b"\xf9\xd6",
    }
    read = {label: decode_page(raw, label)[0] for label, raw in declared.items()}
    assert read == {"shift_jis": "①高髙", "euc-kr": "똠", "gb2312": "晪", "big5": "碁"}
    assert decode_page(b"\xad\xa1\xad\xea \xff\xf9\xa1\xa4", "euc-jp")[0] == "①㈱ �纊�"


@pytest.mark.parametrize("hostile", [b"<script\xe9", b"<style >", b"\xff<", b"<a", b"\x81\x40", b"<script></script>"])
def test_finding_the_encoding_takes_time_in_proportion_to_the_page(hostile: bytes) -> None:
    """A scan that begins anew at each unclosed tag would take hours here."""
    assert detect_encoding(hostile * 200_000 + b"\xe9", None)[1] == 0
