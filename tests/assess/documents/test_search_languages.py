"""Searching in the languages of the collections: both databases get the same words, so they find the same."""

from __future__ import annotations

from itertools import permutations

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from assess.documents.domain.indexing import tsvector_of
from assess.documents.marks import SoughtWords
from assess.documents.queries.search import search_documents
from assess.documents.queries.snippets import Phrase, make_snippet
from assess.documents.words import find_words, phrase_of, tell_language, words_of
from assess.models import Campaign, Document, DocumentWords
from tests import factories

TEXTS = {
    "ar": "قال الوزير إن الاقتصاد الوطني نما بنسبة كبيرة خلال العام الماضي رغم الصعوبات في المنطقة.",
    "de": "Die Häuser an der Straße wurden verkauft, und die neuen Bewohner zogen noch im selben Jahr in die Stadt.",
    "en": "The news of the week: economists argued about houses, and Putin spoke to the newspapers of his country.",
    "es": "Las bicicletas azules recorren las calles de la ciudad mientras los niños juegan en las plazas públicas.",
    "ja": "東京の経済は成長している。新しいカメラが発売された。多くの人々が店に並んで待っていた。",
    "ko": "한국 경제가 빠르게 성장하고 있다고 정부가 발표했다. 그러나 많은 사람들은 어려움을 겪는다.",
    "ru": "Рост спроса на нефть замедлился, сообщил Putin Report; экономисты ждут новых цен и говорят о спросе.",
    "th": "เศรษฐกิจของประเทศไทยเติบโตอย่างรวดเร็วในปีที่ผ่านมา รัฐบาลกล่าวว่าการส่งออกเพิ่มขึ้น",
    "uk": "Попит на нафту зростає, повідомив уряд країни; економісти чекають на нові ціни та говорять про зміни.",
    "zh": "中国经济增长放缓，专家认为出口下降是主要原因。政府表示将支持企业发展。iPhone手机销量上升。",
}


@pytest.fixture
def library(campaign: Campaign, db: None) -> Campaign:
    for language, text in TEXTS.items():
        factories.document(campaign, language, text)
    return campaign


def found(campaign: Campaign, query: str) -> list[str]:
    return sorted(hit.docno for hit in search_documents(campaign, query).hits)


def test_each_language_is_told_and_its_words_are_found(library: Campaign) -> None:
    assert dict(library.documents.values_list("docno", "language")) == {each: each for each in TEXTS}
    wanted = {
        "ar": "اقتصاد الاقتصادية",
        "de": "haus strasse Häusern",
        "en": "house newspaper",
        "es": "bicicleta niño",
        "ja": "済 カメラ ｶﾒﾗ",
        "ko": "경제",
        "ru": "спрос спросом экономиста СПРОСА",
        "th": "เศรษฐกิจ ไทย",
        "uk": "попит",
        "zh": "经济 中国经济 济 展 手机 iphones",
        "": "وزراء 经长 new",
    }
    for language, queries in wanted.items():
        for query in queries.split():
            assert found(library, query) == [language] * bool(language), query
    assert found(library, "putin") == ["en", "ru"]


def test_words_of_several_languages_are_asked_for_together(library: Campaign) -> None:
    page = search_documents(library, "спрос putin")
    assert ([hit.docno for hit in page.hits], page.every_word) == (["ru"], True)
    assert found(library, "putin -спроса") == ["en"]
    assert found(library, '"中国 经济"') == [], "with a blank in the text between them alone"
    assert found(library, '"出口下降"') == ["zh"]


def test_the_snippet_marks_every_form_and_the_page_of_chinese_marks_inside_its_sentences(
    library: Campaign, organiser: User, client: Client
) -> None:
    (russian,) = search_documents(library, "спрос").hits
    assert [text for text, is_match in russian.snippet if is_match] == ["спроса", "спросе"]
    (chinese,) = search_documents(library, "经济增长").hits
    assert chinese.snippet[:2] == (("中国", False), ("经济增长", True))
    (mark,) = SoughtWords(terms=["经济"]).marks_in("中国经济增长")
    assert (mark.start, mark.end, mark.kind) == (2, 4, "term")
    client.force_login(organiser)
    shown = client.get(f"/c/{library.slug}/search/", {"q": "经济"}).content.decode()
    assert '<mark class="term">经济</mark>' in shown


def test_documents_of_an_earlier_version_are_indexed_by_the_command(
    library: Campaign, organiser: User, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    Document.objects.filter(docno__in=["zh", "ar"]).update(language="")
    DocumentWords.objects.filter(document__docno__in=["zh", "ar"]).delete()
    assert found(library, "经济") == []
    client.force_login(organiser)
    assert f"index_documents {library.slug}" in client.get(f"/c/{library.slug}/documents/").content.decode()
    call_command("index_documents", library.slug)
    assert capsys.readouterr().out == f"{library.slug}: 2 documents indexed.\n"
    assert (found(library, "经济"), found(library, "اقتصاد")) == (["zh"], ["ar"])
    assert "index_documents" not in client.get(f"/c/{library.slug}/documents/").content.decode()


def test_a_text_that_is_too_short_to_tell_is_found_all_the_same(campaign: Campaign, db: None) -> None:
    assert tell_language("Bicycles are kind.") == "und"
    factories.document(campaign, "D1", "Bicycles. 经济。 Спросом.")
    assert [found(campaign, query) for query in ("bicycle", "经济", "спрос")] == [["D1"]] * 3


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("ＡＢＣ ½ don't", "en", ["abc", "1", "2", "don", "t"]),
        ("Soft\xadhyphen e\u0301te\u0301", "en", ["softhyphen", "ete"]),
        ("ﷺ كِتَاب", "ar", ["صلي", "الله", "علي", "سلم", "كتاب"]),
        ("\u0301 _ ' \" \\ · \u200d", "en", []),
        ("जंगल में", "mr", ["xx·जंगल", "xx·में"]),
        ("ગુજરાતી ಕನ್ನಡ മലയാളം සිංහල ଓଡ଼ିଆ", "und", ["ગુજરાતી", "ಕನ್ನಡ", "മലയാളം", "සිංහල", "ଓଡ଼ିଆ"]),
        ("שׁלום", "he", ["לומ"]),
        ("ובחופים", "he", ["חופ"]),
        ("İstanbul", "tr", ["tr·istanbul"]),
        ("한국", "ko", ["한국", "국"]),
        ("x" * 5000, "en", ["x" * 100]),
    ],
)
def test_words_are_cut_alike_whatever_signs_stand_between(text: str, language: str, words: list[str]) -> None:
    assert words_of(text, language) == words


def test_what_is_typed_becomes_a_phrase_of_the_index() -> None:
    assert phrase_of("经济学", "zh") == (("经济", "济学"), False)
    assert phrase_of("学", "zh") == (("学",), True)
    assert phrase_of("blue bicycles", "en") == (("blue", "bicycl"), False)


def test_a_snippet_is_cut_where_most_of_the_phrases_stand() -> None:
    text = "Nothing is here. " * 40 + "A blue bicycle of Velora." + " Nothing is there." * 40
    snippet = make_snippet(text, "en", [Phrase(("blue",)), Phrase(("velora",))])
    shown = "".join(piece for piece, _ in snippet)
    assert [piece for piece, is_match in snippet if is_match] == ["blue", "Velora"]
    assert shown.startswith("…") and shown.endswith("…") and len(shown) < 300
    assert make_snippet("Nothing", "en", [Phrase(("blue",))]) == (("Nothing", False),)


def test_of_phrases_that_begin_at_one_word_the_longest_is_shown() -> None:
    for phrases in permutations([Phrase(("blue",)), Phrase(("blue", "moon"))]):
        snippet = make_snippet("A blue moon under a blue sky.", "en", phrases)
        assert [piece for piece, is_match in snippet if is_match] == ["blue moon", "blue"]


def test_a_vector_names_each_word_once_and_stays_below_what_the_database_takes() -> None:
    assert tsvector_of(["blue", "sky", "blue"]) == "'blue':1,3 'sky':2"
    vector = tsvector_of([f"word{number}" for number in range(200_000)] + ["again"] * 1_000)
    assert len(vector) < 1_048_576
    assert "'word0':1 " in vector


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("東京ガイド", "東京ｶﾞｲﾄﾞ"),
        ("パン屋", "ﾊﾟﾝ屋"),
        ("パン屋", "ハ\u309aン屋"),
        ("大한국", "大\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("大가", "大ﾡￂ"),
    ],
)
def test_half_width_and_composed_letters_are_the_same(campaign: Campaign, db: None, written: str, other: str) -> None:
    assert words_of(written, "ja") == words_of(other, "ja")
    assert phrase_of(written, "ja") == phrase_of(other, "ja")
    for docno, text in (("one", written), ("two", other)):
        factories.document(campaign, docno, f"{text}。")
    assert found(campaign, written) == found(campaign, f'"{other}"') == ["one", "two"]


def test_a_word_stands_where_its_characters_are() -> None:
    assert [("東京ｶﾞｲﾄﾞ"[start:end], word) for word, start, end in find_words("東京ｶﾞｲﾄﾞ", "ja")] == [
        ("東京", "東京"), ("京ｶﾞ", "京ガ"), ("ｶﾞｲ", "ガイ"), ("ｲﾄﾞ", "イド"), ("ﾄﾞ", "ド"),
    ]  # fmt: skip
    assert {word: (start, end) for word, start, end in find_words("ทำงาน", "th")}["งา"] == (2, 4)
