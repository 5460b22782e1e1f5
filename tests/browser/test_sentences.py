"""Where sentences end when they are chosen by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from assess.documents.marks import sentences_of
from tests.declaration import BETWEEN, DECLARATION, paragraph

pytestmark = pytest.mark.browser

SENTENCES = """async (text) => {
  const { sentencesOf } = await import("/static/js/bench/sentences.js");
  return sentencesOf(text).map(([from, to]) => text.slice(from, to));
}"""

CASES = {
    "plain": ("It rained. We stayed! Why?", ["It rained.", "We stayed!", "Why?"]),
    "page marks": (
        "Two kites flew. (p. 1)\nBoth were read. (pp. 2-3) They fell.\n(p. 4) The end.",
        ["Two kites flew. (p. 1)", "Both were read. (pp. 2-3)", "They fell.", "(p. 4) The end."],
    ),
    "a page inside": ("The rise (p. 2) was small. It stopped.", ["The rise (p. 2) was small.", "It stopped."]),
    "figures": (
        "See Fig. 1A and Figs. S2 and S3. In Tab. 4 and No. 5 it falls. He said no. Then he left.",
        ["See Fig. 1A and Figs. S2 and S3.", "In Tab. 4 and No. 5 it falls.", "He said no.", "Then he left."],
    ),
    "abbreviations": (
        "Methods of Smith et al. Were used, e.g. Sorting by Dr. Lee. Fine.",
        ["Methods of Smith et al. Were used, e.g. Sorting by Dr. Lee.", "Fine."],
    ),
    "brackets": (
        "It fell (by how much? Nobody knows) at once. Then (so. it rose. (Well. Done.) Yes.",
        ["It fell (by how much? Nobody knows) at once.", "Then (so. it rose.", "(Well. Done.)", "Yes."],
    ),
    "broken lines": (
        "The doughs were made\nfrom one starter.\nTwelve of them\n\nrose. A heading\nThe text.",
        ["The doughs were made\nfrom one starter.", "Twelve of them", "rose.", "A heading", "The text."],
    ),
    "brackets opened behind an end": (
        "雨がやんだ。「晴れた。」と母は言った。（三日後。）“本当だ。”ところで、夜だ。『終わり。』って。",
        [
            "雨がやんだ。",
            "「晴れた。」と母は言った。",
            "（三日後。）",
            "“本当だ。”",
            "ところで、夜だ。",
            "『終わり。』って。",
        ],
    ),
    "nothing": (" \n ", []),
}


@pytest.mark.in_firefox_too(in_test_all=True)
def test_sentences_end_where_a_reader_says(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/login/")
    found = {name: page.evaluate(SENTENCES, text) for name, (text, _) in CASES.items()}
    assert found == {name: expected for name, (_, expected) in CASES.items()}
    text = CASES["brackets opened behind an end"][0]
    assert [text[start:end] for start, end in sentences_of(text)] == found["brackets opened behind an end"]


CHOOSE = """async ({ text, likely, keys }) => {
  const { startSentences } = await import("/static/js/bench/text-sentences.js");
  const holder = Object.assign(document.createElement("div"), { textContent: text, tabIndex: 0, dir: "auto" });
  holder.style.unicodeBidi = "plaintext";
  holder.dataset.likely = likely;
  document.body.append(holder);
  let taken = null;
  startSentences(holder, { onTake: (span) => { taken = span; }, onLeave() {}, say() {} });
  const press = (each) => {
    const { left, width } = document.getSelection().getRangeAt(0).getBoundingClientRect();
    const shiftKey = each.startsWith("Shift+");
    holder.dispatchEvent(new KeyboardEvent("keydown", { key: each.replace("Shift+", ""), shiftKey }));
    return [left, width];
  };
  const boxes = [...keys, "Enter"].map(press);
  holder.remove();
  return [taken, boxes];
}"""


def chosen(page: Page, text: str, *keys: str, likely: str = "") -> tuple[str, list[tuple[float, float]]]:
    """The words that are taken after some keys, cut out of the text by their places as the server does."""
    span, boxes = page.evaluate(CHOOSE, {"text": text, "likely": likely, "keys": keys})
    assert span["quote"] == text[span["start"] : span["end"]]
    assert text[: span["start"]].endswith(span["prefix"])
    assert text[span["end"] :].startswith(span["suffix"])
    return span["quote"], boxes


def test_sentences_of_every_script_are_the_same_here_and_on_the_server(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/login/")
    for language, sentences in DECLARATION.items():
        text = paragraph(language)
        here = page.evaluate(SENTENCES, text)
        assert here == list(sentences) == [text[start:end] for start, end in sentences_of(text)], language


SHORTENED = {"ar": " الكرامة والحقوق.", "he": " בערכם ובזכויותיהם.", "hi": " प्राप्त है।", "ko": " 있어 동등하다."}
"""What three words back take from the first sentence, its last sign among them."""


@pytest.mark.in_firefox_too
def test_keys_choose_sentences_and_words_of_every_script_where_they_point(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/login/")
    for language, sentences in DECLARATION.items():
        text = f"\U0001f600 {paragraph(language)}"
        back, onward = ("ArrowRight", "ArrowLeft") if language in ("ar", "he") else ("ArrowLeft", "ArrowRight")
        start = text.index(sentences[1])
        likely = f"{start}-{start + len(sentences[1])}"
        assert chosen(page, text, likely=likely)[0] == sentences[1], language
        joined = BETWEEN.get(language, " ").join(sentences[1:])
        assert chosen(page, text, "Shift+ArrowDown", likely=likely)[0] == joined
        first = paragraph(language)[: len(sentences[0])]
        without, boxes = chosen(page, paragraph(language), back, back, back)
        assert first.startswith(without), language
        assert 0 < len(without) < len(first) - 2, language
        assert first == without + SHORTENED.get(language, first[len(without) :])
        assert chosen(page, paragraph(language), back, onward)[0] == first, language  # and no word of the next sentence
        again, _ = chosen(page, paragraph(language), back, back, back, onward, onward)
        assert first.startswith(again), language
        assert len(without) < len(again) < len(first)
        later, _ = chosen(page, paragraph(language), f"Shift+{onward}")
        assert first.endswith(later), language
        assert 0 < len(first) - len(later) < 16, language
        assert boxes[1][1] < boxes[0][1], language  # the end comes nearer


def test_the_arrows_follow_each_line_of_a_mixed_text(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/login/")
    arabic, english = DECLARATION["ar"][2], "The minister spoke to us."
    text = f"{arabic}\n{english}"
    assert chosen(page, text, "ArrowRight", "ArrowRight")[0] == arabic.removesuffix(" شخصه.")
    assert chosen(page, text, "ArrowDown", "ArrowLeft", "ArrowLeft")[0] == english.removesuffix(" us.")
    long = "มนุษย์ทั้งหลายเกิดมามีอิสระ" * 400
    assert chosen(page, long, "ArrowLeft")[0] == long.removesuffix("อิสระ")


SAID = """async ({ text, keys }) => {
  const { startSentences } = await import("/static/js/bench/text-sentences.js");
  const holder = Object.assign(document.createElement("div"), { textContent: text, tabIndex: 0, lang: "th" });
  document.body.append(holder);
  const said = [];
  startSentences(holder, { onTake() {}, onLeave() {}, say(sentence) { said.push(sentence); } });
  for (const [key, shiftKey] of keys) holder.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey }));
  holder.remove();
  return said;
}"""


def test_each_step_in_a_long_sentence_says_where_what_is_chosen_begins_and_ends(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/login/")
    text = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีมโนธรรมและควรปฏิบัติต่อกัน"
    keys = [("ArrowLeft", False), ("ArrowLeft", False), ("ArrowRight", True), ("ArrowRight", True)]
    said = page.evaluate(SAID, {"text": text, "keys": keys})
    assert len(set(said)) == 5, said
    assert all(" … " in each for each in said)


WORDS = """async ({ text, directions }) => {
  const { markWords } = await import("/static/js/writing/words.js");
  const holder = Object.assign(document.createElement("p"), { textContent: text, tabIndex: 0, dir: "auto" });
  document.body.append(holder);
  document.getSelection().removeAllRanges();
  for (const each of directions) markWords(holder, each, false);
  const words = document.getSelection().toString();
  holder.remove();
  return words;
}"""


@pytest.mark.in_firefox_too(in_test_all=True)
def test_words_of_a_string_are_marked_in_every_script(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/login/")
    words = {"ar": "جميع", "he": "בני", "hi": "मनुष्यों", "ko": "인간은", "ru": "люди", "th": "ทั้ง", "tr": "insanlar"}
    for language, second in words.items():
        text = DECLARATION[language][0]
        found = page.evaluate(WORDS, {"text": text, "directions": ["forward", "forward"]})
        assert found in (second, "ทั้งหลาย"), language  # browsers do not know the same words of Thai
    for language in ("ja", "zh"):
        first = page.evaluate(WORDS, {"text": DECLARATION[language][0], "directions": ["forward"]})
        assert 0 < len(first) < 5 and DECLARATION[language][0].startswith(first)
