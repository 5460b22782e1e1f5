"""What run tags look like: the rule of an evaluation where it has one, else the rule for everybody.

run-tag-form    the tag keeps another form
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.reading import excerpt_of
from scoring.records import Issue


@dataclass(frozen=True, kw_only=True, slots=True)
class TagRule:
    """The ``form`` of a tag, in ``words`` that go on after "Give the run tag another form: ".

    Where tags are made of the team's id, ``team`` is the form of that, in ``team_words``; None: any team.
    """

    form: re.Pattern[str]
    words: str
    team: re.Pattern[str] | None = None
    team_words: str = ""

    def allows(self, tag: str) -> bool:
        """Whether a tag keeps the rule."""
        return self.form.fullmatch(tag) is not None

    def carries(self, team: str) -> bool:
        """Whether a tag can be made of this team's id."""
        return self.team is None or self.team.fullmatch(team) is not None

    def issue(self, tag: str, where: int | str = "") -> Issue:
        """What is said of a tag that does not keep the rule."""
        message = f"The run tag is “{excerpt_of(tag, length=40)}”. Give it another form: {self.words}."
        return Issue(where=where, code="run-tag-form", message=message)


def letters(most: int) -> TagRule:
    """Up to so many letters, digits, ".", "_" and "-"; a file name that begins with a dot is hidden, so no tag does."""
    words = f"at most {most} of the letters A–Z and a–z, digits, “.”, “_” and “-”, without a dot in front"
    return TagRule(form=re.compile(rf"[A-Za-z0-9_-][A-Za-z0-9._-]{{0,{most - 1}}}"), words=words)


ANY_TRACK = letters(20)
"""Where an evaluation says nothing of its tags: as TREC has it."""
