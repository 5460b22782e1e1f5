"""What is judged is found by its stems with any signs between, else by its likeliest sentence, in any language."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.documents.marks import LIKELY, SoughtWords, sentences_of
from assess.documents.queries.search import topic_terms
from assess.rendering.highlight import MARK_LIMIT, Mark, highlight_text
from bench.bench_marks import Counts, sets_of
from tests import factories
from tests.declaration import DECLARATION, paragraph


def marked(text: str, answer: str, *terms: str, language: str = "en") -> list[tuple[str, str]]:
    found = SoughtWords(answer=answer, terms=terms).marks_in(text, language)
    return [(mark.kind, text[mark.start : mark.end]) for mark in found]


@pytest.mark.parametrize(
    ("text", "answer", "language", "words", "terms"),
    [
        (
            "ข้าวหอมมะลิไทยมีกลิ่นหอม เกษตรกรให้การดูแลดี",
            "ข้าวหอมมะลิของไทย",
            "th",
            ["ข้าวหอมมะลิ", "ไทย", "หอม"],
            [],
        ),
        ("הירידה במפלס יוצרת בולענים. הוא נמוך.", "ירידת המפלס גורמת לבולען", "he", ["הירידה", "במפלס", "בולענים"], []),
        (
            "事故で止まった。乗客の安全が第一だとした。",
            "乗客の安全を第一とした",
            "ja",
            ["乗客の安全", "第一"],
            ["事故"],
        ),
        (
            "Der Kanzler ist da. Die Regierung hat Zeit.",
            "Zeit ist da für die Regierung",
            "de",
            ["Regierung", "Zeit"],
            ["Kanzler"],
        ),
        ("Он был дома. Министр был в Москве.", "Министр был в городе Москва", "ru", ["Министр", "Москве"], ["дома"]),
    ],
)
def test_words_that_say_nothing_and_parts_of_characters_are_not_marked(
    text: str, answer: str, language: str, words: list[str], terms: list[str]
) -> None:
    found = marked(text, answer, "事故", "der", "ist", "Kanzler", "הוא", "был", "дома", language=language)
    assert [said for kind, said in found if kind in ("word", "likely word")] == words
    assert [said for kind, said in found if kind in ("term", "likely term")] == terms


@pytest.mark.parametrize(
    ("text", "answer", "language", "found"),
    [
        ("It sells cheap, red wines.", "cheap red wine", "en", ["cheap, red wines"]),
        ("Front - rear polarity (in cells)", "front-rear polarity in cells", "en", ["Front - rear polarity (in cells"]),
        ("Trader Joe’s.", "trader joe's", "en", ["Trader Joe’s"]),
        ("It sold knives.", "sells knife", "en", ["sold knives"]),
        ("A café and the CAFE", "Café", "en", ["café", "CAFE"]),
        ("Die Häuser – schöner Städte", "Haus, schönen Stadt", "de", ["Häuser – schöner Städte"]),
        ("Die schönen, alten Häuser", "schöne alte Häuser", "de", ["schönen, alten Häuser"]),
        ("中国的经济，增长很快", "经济增长", "zh", ["经济，增长"]),
        ("その本は、面白かった。", "本は面白かった", "ja", ["本は、面白かった"]),
        ("في المكتبة، كتب جديدة", "المكتبة كتب", "ar", ["المكتبة، كتب"]),
        ("ספרים – חדשים בספרייה", "ספרים חדשים", "he", ["ספרים – חדשים"]),
        ("सुंदर, जंगली फूल", "जंगली फूल", "hi", ["जंगली फूल"]),
        ("जंगली", "गली", "hi", []),
        ("ระบบ ใหม่ ดีมาก", "ระบบใหม่", "th", ["ระบบ ใหม่"]),
        ("twine, swine", "wine", "en", []),
        ("C, C++ and C", "C++", "en", ["C++"]),
        ("about 1,5 and 1.5", "1.5", "en", ["1.5"]),
        ("what?! yes", "?!", "en", ["?!"]),
        ("an infor-\nmation sys\u00adtem", "information system", "en", ["infor-\nmation sys\u00adtem"]),
        ("a well-\nknown U.S.A. e-mail", "well-known USA email", "en", ["well-\nknown U.S.A. e-mail"]),
        ("1,000, 1.000, 1\u202f000 and 1000 dead", "1000", "en", ["1000"]),
        ("1,000, 1.000 and 1\u202f000 dead", "1000", "en", ["1,000", "1.000", "1\u202f000"]),
        ("9-11, 91.1 and 9,1,1", "911", "en", []),
        ("zero\u200bwidth \ufeffhere", "zerowidth here", "en", ["zero\u200bwidth \ufeffhere"]),
        ("ﬁrst oﬃce", "first office", "en", ["ﬁrst oﬃce"]),
        ("the rapist", "therapist", "en", []),
        ("मैं हिन्दी बोलता हूँ", "हिंदी", "hi", ["हिन्दी"]),
        ("a cat", "", "en", []),
        ("", "cat", "en", []),
    ],
)
def test_what_is_judged_is_found_by_its_stems(text: str, answer: str, language: str, found: list[str]) -> None:
    places = [words for kind, words in marked(text, answer, language=language) if kind == "answer"]
    assert places == found


ABSTRACT = (
    "Statins are drugs. In a trial of 240 adults, the new drug lowered LDL cholesterol by 31 percent. "
    "Muscle pain was rare. Adults were followed for a year."
)


def test_what_stands_nowhere_has_its_words_and_its_likeliest_sentence_marked() -> None:
    claim = "The drug reduced cholesterol in adults."
    sentence = "In a trial of 240 adults, the new drug lowered LDL cholesterol by 31 percent."
    found = marked(ABSTRACT, claim, "LDL", "pain")
    assert "".join(words for kind, words in found if kind.startswith("likely")) == sentence
    assert [words for kind, words in found if kind == "likely word"] == ["adults", "drug", "cholesterol"]
    assert [words for kind, words in found if kind in ("word", "term", "likely term")] == [
        "drugs",
        "LDL",
        "pain",
        "Adults",
    ]
    pieces, marks = highlight_text(ABSTRACT, SoughtWords(answer=claim).marks_in(ABSTRACT, "en"))
    assert (marks.first, marks.is_likely) == (1, True)
    assert [piece.text for piece in pieces if piece.number == 1] == ["In a trial of 240 "]


@pytest.mark.parametrize(
    ("text", "claim", "language", "sentence"),
    [
        ("घास काटी जाती है। शहर में जंगली मक्खियाँ हैं।", "जंगली मक्खियाँ शहर में", "hi", "शहर में जंगली मक्खियाँ हैं।"),
        ("أين يعيش النحل؟ العشب يقص مرتين.", "يقص العشب مرتين", "ar", "العشب يقص مرتين."),
        ("شہر بڑا ہے۔ گھاس کٹتی ہے۔", "گھاس کٹتی", "ur", "گھاس کٹتی ہے۔"),
    ],
)
def test_sentences_end_with_the_signs_of_their_script(text: str, claim: str, language: str, sentence: str) -> None:
    _, ((start, end), *_) = SoughtWords(answer=claim).find_in(text, language)
    assert text[start:end] == sentence


@pytest.mark.parametrize("language", DECLARATION)
def test_sentences_of_every_script_are_found_and_evidence_begins_there(language: str) -> None:
    text = paragraph(language)
    for sentence in DECLARATION[language]:
        marks, likely = SoughtWords(answer=sentence).find_in(text, language)
        assert [text[each.start : each.end] for each in marks if each.kind == "answer"] == [sentence]
        assert text[slice(*likely[0])] == sentence
        words = sentence.split() if len(sentence.split()) > 4 else [sentence[:4], sentence[4:8], sentence[-6:]]
        marks, likely = SoughtWords(answer=" - ".join(reversed(words))).find_in(text, language)
        assert text[slice(*likely[0])] == sentence
        assert any(each.kind.startswith("likely") for each in marks)


@pytest.mark.parametrize(
    ("text", "answer", "language", "found"),
    [
        ("ｱｲｽｸﾘｰﾑを食べる。", "アイスクリーム", "ja", "ｱｲｽｸﾘｰﾑ"),
        ("ガラスを見る", "ｶﾞﾗｽ", "ja", "ガラス"),
        ("ＡＢＣ株式会社１２３です", "ABC株式会社123", "ja", "ＡＢＣ株式会社１２３"),
        ("𠮷野家で食べる", "𠮷野家", "ja", "𠮷野家"),
        ("هذا الكتــــاب الجديد", "الكتاب", "ar", "الكتــــاب"),
        ("كِتَابٌ جَدِيدٌ هنا", "كتاب جديد", "ar", "كِتَابٌ جَدِيدٌ"),
        ("ﻛﺘﺎﺏ ﺟﺪﻳﺪ", "كتاب جديد", "ar", "ﻛﺘﺎﺏ ﺟﺪﻳﺪ"),
        ("שָׁלוֹם עוֹלָם", "שלום עולם", "he", "שָׁלוֹם עוֹלָם"),
        ("תל־אביב יפה", "תל אביב", "he", "תל־אביב"),
        ("גבוה \u2067שלום\u2069 wine", "שלום wine", "he", "שלום\u2069 wine"),
        ("เอาน้ํามาก", "น้ำ", "th", "น้ํา"),
        ("می\u200cشود گفت", "می شود", "fa", "می\u200cشود"),
        ("او می\u200cخواهد برود", "میخواهد", "fa", "می\u200cخواهد"),
        ("او میخواهد برود", "می\u200cخواهد", "fa", "میخواهد"),
        ("او نمی خواهد برود", "نمی\u200cخواهد", "fa", "نمی خواهد"),
        ("کتاب\u200cها را خواند", "کتابها", "fa", "کتاب\u200cها"),
        ("کتابها را خواند", "کتاب\u200cها", "fa", "کتابها"),
        ("میدان شهر", "میدان", "fa", "میدان"),
        ("ශ්\u200dරී ලංකා", "ශ්\u200dරී ලංකා", "si", "ශ්\u200dරී ලංකා"),
        ("कि\u200cताब है", "किताब", "hi", "कि\u200cताब"),
        ("eine Auf\u200clage", "Auflage", "de", "Auf\u200clage"),
        ("ISPARTA güzel", "ısparta", "tr", "ISPARTA"),
        ("Łódź leży", "Lodz", "pl", "Łódź"),
        ("et smørrebrød", "smorrebrod", "da", "smørrebrød"),
        ("cet œuvre", "oeuvre", "fr", "œuvre"),
        ("con đường dài", "con duong", "vi", "con đường"),
        ("I love 👩\u200d👩\u200d👧 families 😀 so much", "families so", "en", "families 😀 so"),
        ("a 👩\u200d👧 b", "👩\u200d👧", "en", "👩\u200d👧"),
        ("e\u0301te\u0301 ﬁnal", "été final", "fr", "e\u0301te\u0301 ﬁnal"),
    ],
)
def test_other_ways_to_write_the_same_make_no_difference(text: str, answer: str, language: str, found: str) -> None:
    assert [words for kind, words in marked(text, answer, language=language) if kind == "answer"] == [found]


def test_a_broken_line_goes_on_in_small_letters_of_any_script() -> None:
    text = "Все люди рождаются\nсвободными и равными.\nОни наделены разумом."
    assert [text[start:end] for start, end in sentences_of(text)] == [text[:40], text[41:]]


def test_one_common_word_is_no_likely_sentence() -> None:
    assert marked("A study of cats. The rest.", "Another study found nothing of that kind") == [("word", "study")]
    assert marked("Of dogs. A zebra came.", "it is a zebra") == [
        ("likely", "A "),
        ("likely word", "zebra"),
        ("likely", " came."),
    ]


def test_evidence_begins_where_it_is_likely_and_the_question_leads_where_nothing_is_judged() -> None:
    _, likely = SoughtWords(answer="Adults had muscle pains").find_in(ABSTRACT, "en")
    assert [ABSTRACT[start:end] for start, end in likely][:2] == [
        "Muscle pain was rare.",
        "Adults were followed for a year.",
    ]
    _, likely = SoughtWords(terms=["statin"]).find_in(ABSTRACT, "en")
    assert [ABSTRACT[start:end] for start, end in likely] == ["Statins are drugs."]
    _, likely = SoughtWords(answer="MUSCLE pain", terms=["statin"]).find_in(ABSTRACT, "en")
    assert ABSTRACT[slice(*likely[0])] == "Muscle pain was rare."
    assert SoughtWords(answer="zebra").find_in(ABSTRACT, "en") == ([], [])


def test_what_is_judged_wins_over_words_and_long_documents_keep_it() -> None:
    assert marked("wine, red wine and wine", "red wine", "wine") == [
        ("term", "wine"),
        ("answer", "red wine"),
        ("term", "wine"),
    ]
    text = "wine. " * (MARK_LIMIT + 50) + "The blue bicycle was light."
    marks = SoughtWords(answer="a light and blue bicycle", terms=["wine"]).marks_in(text, "en")
    assert marks[-1] == Mark(start=len(text) - 1, end=len(text), kind="likely", leads=False)
    assert len(marks) <= MARK_LIMIT + 20


HOSTILE = {
    "one word": ("wine " * 40_000, "wine " * 2_000 + "staff"),
    "one letter": ("a" * 200_000, "aaa"),
    "full stops": (". " * 100_000, "x y"),
    "brackets": (".)" * 100_000, "x y"),
    "empty lines": ("\n" * 200_000, "x y"),
    "no blanks": ("经济" * 100_000, "经济学家"),
    "no sentence": ("wine and " * 20_000, "the staff like red wine"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_repetitive_texts_are_marked_within_their_limits(name: str) -> None:
    text, answer = HOSTILE[name]
    terms = ["wine", *(" ".join(["wine and"] * times) for times in range(1, 18))]
    marks, likely = SoughtWords(answer=answer, terms=terms).find_in(text)
    assert len([mark for mark in marks if not mark.kind.startswith("likely")]) <= MARK_LIMIT
    assert all(one.end <= other.start for one, other in pairwise(marks))
    assert len(likely) <= LIKELY
    assert all(0 < end - start <= 1_000 for start, end in likely)


@pytest.mark.django_db
def test_a_turn_is_asked_by_what_its_user_means(organiser: User) -> None:
    campaign = factories.campaign(organiser=organiser, track="ikat2023")
    turn = campaign.topics.get(number="1.1")
    assert topic_terms(turn) == ["Velora", "bicycles", "colours"]
    turn.fields = {"resolved": "Is the blue one popular?"}
    assert topic_terms(turn) == ["Velora", "bicycles", "blue", "popular"]


def test_the_bench_prints_what_it_counts(tmp_path: Path) -> None:
    folder = tmp_path / "ts2013-2014"
    folder.mkdir()
    tables = {
        "matches": ["query_id\tupdate_id\tnugget_id\tauto_p", "T1\tu1\tn1\t0"],
        "nuggets": ["query_id\tnugget_id\tnugget_text", "T1\tn1\tcheap wines"],
        "updates": ["query_id\tupdate_id\tupdate_text", "T1\tu1\tCheap, wine!"],
    }
    for name, lines in tables.items():
        (folder / f"2015-{name}.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    ((name, pairs),) = sets_of(tmp_path, None)
    counts = Counts()
    for judged, document in pairs:
        counts.add(judged, document)
    assert counts.line(name) == "nuggets 2015\t1\t1\t1.000\t-\t0.000"


@pytest.mark.shared
def test_nuggets_that_stand_in_updates_are_marked(shared_data: Path) -> None:
    counts = Counts()
    for judged, document in dict(sets_of(shared_data, None))["nuggets 2013"]:
        counts.add(judged, document)
    assert counts.stand > 30
    assert counts.marked / counts.stand >= 0.95
