"""A question written into a design: where it lands, and that nothing else is touched."""

from __future__ import annotations

import pytest

from tests.design_text import DESIGN
from tracks.designs.adding import with_question
from tracks.designs.reading import BadDesign, design_of_text

SAID = {"stage": "", "key": "", "ask": "Is it useful?", "help": "", "grades": "2 u yes, very\n1 w a bit\n0 z no"}
COMMENTED = DESIGN.replace("[scores]", "# What counts.\n[scores]").replace("people = 2", "people = 2   # each")


def test_it_stands_at_the_end_of_its_stage_and_all_else_stays() -> None:
    text = with_question(COMMENTED, SAID)
    (stage,) = design_of_text(text).stages
    assert [(each.key, each.ask) for each in stage.questions][-1] == ("is-it-useful", "Is it useful?")
    assert [grade.name for grade in stage.questions[-1].grades] == ["yes, very", "a bit", "no"]
    added = text[text.index('[[stages.questions]]\nkey = "is-it-useful"') : text.index("\n# What counts.")]
    assert text.replace(f"\n{added}", "", 1) == COMMENTED


def test_of_several_stages_the_one_that_is_named_gets_it() -> None:
    more = '\n[[stages]]\nkey = "more"\nwork = "grade"\n[[stages.questions]]\nkey = "x"\nask = "X?"\ngrades = "0-1"\n'
    text = with_question(
        DESIGN.replace("\n[scores]", f"{more}\n[scores]"), {**SAID, "stage": "passages", "grades": "1-7"}
    )
    first, second = design_of_text(text).stages
    assert (len(first.questions), len(second.questions)) == (3, 1)
    assert first.questions[-1].grades == "1-7"


def test_other_line_separators_than_tomls_end_no_line() -> None:
    text = with_question(COMMENTED.replace("[[stages]]", "# a\u2028b\x85c\n[[stages]]", 1), SAID)
    assert design_of_text(text).stages[0].questions[-1].key == "is-it-useful"
    assert with_question(DESIGN.replace("\n", "\r\n"), SAID) == with_question(DESIGN, SAID)


def test_it_may_be_asked_only_after_certain_answers() -> None:
    earlier = design_of_text(DESIGN).stages[0].questions[0]
    names = [grade.name for grade in earlier.grades]
    text = with_question(DESIGN, {**SAID, "if": f"{earlier.key}: {names[0]}, {names[1]}\n\n"})
    assert design_of_text(text).stages[0].questions[-1].asked_if == {earlier.key: names[:2]}
    assert "asked_if" not in with_question(DESIGN, {**SAID, "if": " \n"}).replace(DESIGN, "")[-200:]


@pytest.mark.parametrize(
    ("text", "said", "message"),
    [
        (DESIGN, {"grades": f"{'9' * 5000} y yes"}, "is no grade: write its value"),
        (DESIGN, {"if": "relevant"}, "“relevant” is no condition: write the key"),
        (DESIGN, {"if": "relevant: ,"}, "is no condition"),
        (DESIGN, {"if": ": yes"}, "is no condition"),
        (DESIGN, {"grades": "yes"}, "“yes” is no grade: write its value"),
        (DESIGN, {"ask": " "}, "Say what is asked"),
        (DESIGN, {"stage": "pages"}, "There is no stage “pages”. There are: passages"),
        ("design = 1", {}, "no stage yet"),
        ("design 1", {}, "line 1: After “design” comes ="),
    ],
)
def test_what_can_not_be_added_is_said(text: str, said: dict[str, str], message: str) -> None:
    with pytest.raises(BadDesign) as refused:
        with_question(text, {**SAID, **said})
    assert message in str(refused.value)
