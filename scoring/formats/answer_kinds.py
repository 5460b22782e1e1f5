"""What a track requires of the members of an answer, and the shapes of a line and of its metadata that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from scoring.formats.answer_members import SENTENCES
from scoring.formats.json_members import MISSING, OBJECT, TEXT, WHOLE, Kind, Member, Shape, list_of, one_word
from scoring.formats.member_reports import Codes


@dataclass(frozen=True, kw_only=True, eq=False)  # cached by identity, which is faster
class AnswerKinds:
    """What a track requires of the members of answers beyond the rules that all tracks share.

    With ``numbers_are_ids`` a number in a citation is an id (such as a PMID), even if there are references.
    """

    codes: Codes
    run: Kind
    team: Kind
    topic: Kind
    text: Kind
    cited: Kind
    needs_team: bool = False
    needs_sentences: bool = False
    numbers_are_ids: bool = False


PLAIN = AnswerKinds(
    codes=Codes(missing="fields", type="fields"),
    run=replace(one_word(100), code="run-id"),
    team=Kind(wanted="a text or a number", types=(str, int), make=str),
    topic=one_word(100, numbers=True),
    text=TEXT,
    cited=one_word(200),
)


@cache
def shapes_of(kinds: AnswerKinds) -> tuple[Shape, Shape]:
    """Return the shapes of a line and of its metadata."""
    citations = Kind(wanted="a list or an object", types=(list, dict))
    sentence = Shape(
        members=(Member("text", kinds.text), Member("citations", citations, default=(), null=())), codes=kinds.codes
    )
    line = Shape(
        members=(
            Member("metadata", OBJECT, default=None),
            Member("topic", TEXT, default=None),
            Member("references", citations, default=None, null=None),
            Member("response_length", WHOLE, default=-1),
            Member(SENTENCES[0], list_of(sentence, is_filled=kinds.needs_sentences), also=SENTENCES[1:]),
        ),
        codes=kinds.codes,
    )
    team = (
        Member("team_id", kinds.team) if kinds.needs_team else Member("team_id", kinds.team, default="", null=MISSING)
    )
    narrative = Member("narrative", TEXT, default="", null=MISSING)
    return line, Shape(members=(team, Member("run_id", kinds.run), narrative), codes=kinds.codes)
