"""Files in encodings that nothing declares: read where the letters tell in which, and as before where they do not."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from scoring.file_kinds import recognise_beginning
from scoring.formats.nugget_files import read_nugget_lines
from scoring.formats.qrels import read_qrels
from scoring.formats.trec_sgml import read_trec_sgml
from scoring.formats.trec_topics import TopicText, read_trec_topics
from scoring.reading.detected_encodings import sure_encoding
from scoring.reading.opening import open_input
from scoring.records import DocumentRecord, Issue

RUSSIAN = ("Погода в горах зимой", "Роль хранителя маяка")
JAPANESE = ("冬の山の天気について", "灯台守の役割とは何か")
CHINESE = ("冬天山里的天气怎么样", "灯塔守护者的作用")
WRITTEN = {
    "koi8-r": ("KOI8-R", RUSSIAN),
    "cp1251": ("Windows-1251", RUSSIAN),
    "euc_jp": ("EUC-JP", JAPANESE),
    "cp932": ("Shift_JIS", JAPANESE),
    "iso2022_jp": ("ISO-2022-JP", JAPANESE),
    "euc_kr": ("EUC-KR", ("겨울 산의 날씨", "등대지기의 역할")),
    "gb2312": ("GB18030", CHINESE),
    "big5": ("Big5", ("冬天山裡的天氣怎麼樣", "燈塔守護者的作用")),
}
FORMS = {
    "columns": "1\t{}\n2\t{}\n",
    "SGML": "<top>\n<num> Number: 1\n<title> {}\n</top>\n<top>\n<num> Number: 2\n<title> {}\n</top>\n",
    "JSON": '{{"id": "1", "title": "{}"}}\n{{"id": "2", "title": "{}"}}\n',
}


def read_of(read: Any, content: bytes) -> tuple[list[Any], list[Issue]]:
    found = list(read(io.BytesIO(content)))
    return [each for each in found if not isinstance(each, Issue)], [each for each in found if isinstance(each, Issue)]


@pytest.mark.parametrize("codec", WRITTEN)
def test_topics_in_an_encoding_that_their_letters_tell_are_read_in_it(codec: str) -> None:
    name, titles = WRITTEN[codec]
    for form in FORMS.values():
        topics, (warning,) = read_of(read_trec_topics, form.format(*titles).encode(codec))
        assert [each.title for each in topics] == list(titles)
        assert (warning.code, warning.severity) == ("not-utf8", "warning")
        assert warning.message.startswith(f"The file is not UTF-8 and was read as {name}, by which letters it has.")
        assert recognise_beginning(form.format(*titles).encode(codec)).shape.encoding == f"not UTF-8, probably {name}"


def test_nuggets_are_read_in_it_and_titles_of_documents_too() -> None:
    nuggets, (warning,) = read_of(read_nugget_lines, f"1 1 vital {RUSSIAN[0]}\n".encode("koi8-r"))
    assert ([each.text for each in nuggets], warning.code) == ([RUSSIAN[0]], "not-utf8")
    page = "<DOC>\n<DOCNO> a{} </DOCNO>\n<HEADLINE> {} </HEADLINE>\n<TEXT>\n{}\n</TEXT>\n</DOC>\n"
    for codec, texts in (("koi8-r", RUSSIAN), ("cp1252", ("L’été à la montagne", "Le rôle du gardien"))):
        written = "".join(page.format(place, text, text) for place, text in enumerate(texts)).encode(codec)
        documents, _ = read_of(read_trec_sgml, written)
        assert [each.fields["HEADLINE"] for each in documents if isinstance(each, DocumentRecord)] == list(texts)


@pytest.mark.parametrize(
    "text",
    [
        "L’été à la montagne, c’est déjà ça",
        "Welche Maßnahmen gibt es für Großstädte?",
        "Hvilke foranstaltninger træffes på området?",
        "Mitä toimia järjestäytynyttä rikollisuutta vastaan tehdään?",
        "El Niño, Søren, Müller, Åse",
        "“It’s here” – © 2006",
    ],
)
def test_what_may_be_western_is_windows_1252_as_before(text: str) -> None:
    assert sure_encoding(text.encode("cp1252")) is None
    (topic,), (warning,) = read_of(read_trec_topics, f"1\t{text}\n".encode("cp1252"))
    assert isinstance(topic, TopicText)
    assert (topic.title, warning.message[:54]) == (text, "This line is not UTF-8 and was read as Windows-1252 (L")


def test_damaged_utf_8_and_what_is_declared_are_not_guessed_at() -> None:
    damaged = "\n".join(RUSSIAN * 3).encode()
    assert sure_encoding(damaged[:9] + damaged[10:]) is None
    assert sure_encoding(b'<?xml version="1.0" encoding="windows-1251"?>' + RUSSIAN[0].encode("cp1251")) is None
    assert [each.code for each in read_of(read_qrels, b"1 0 a\xe9 1\n")[1]] == ["not-utf8"]
    assert read_of(read_trec_topics, "1\tПогода\n2\tcafé\n".encode() + b"3\tcaf\xe9\n")[0][2].title == "café"


def test_what_can_not_be_read_to_its_end_in_it_is_read_as_before() -> None:
    lines = "".join(f"{number}\t{JAPANESE[number % 2]}\n" for number in range(3_000)).encode("euc_jp")
    topics, (warning,) = read_of(read_trec_topics, lines + b"x\tx\xff\n")
    assert (len(topics), warning.message[:34]) == (3_001, "This line and 3,000 more are not U")


@pytest.mark.parametrize("codec", ["utf-16", "koi8-r"])
def test_a_packed_file_in_another_encoding_that_is_cut_off_is_said_to_be(tmp_path: Path, codec: str) -> None:
    lines = "".join(f"{number}\t{RUSSIAN[number % 2]} {number * number}\n" for number in range(9_000))
    (tmp_path / "topics.gz").write_bytes(gzip.compress(lines.encode(codec))[:-9_000])
    with open_input(tmp_path / "topics.gz") as file:
        found = list(read_trec_topics(file))
    assert sum(isinstance(each, TopicText) for each in found) > 100
    assert "cut off after" in next(
        each.message for each in found if isinstance(each, Issue) and each.severity == "error"
    )
