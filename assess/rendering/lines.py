"""Collect the lines of a page's text piece by piece, with white space collapsed and line breaks merged."""

from __future__ import annotations

import re

from assess.rendering.encoding import drop_controls

_SPACES = re.compile(r"[ \t\n\r\f]+")
_BLANKS = re.compile(r"[ \t\r\f]+")


def _one_space(text: str) -> str:
    """Return the text with each stretch of white space as one space. A quick check finds that most texts have
    no other.
    """
    return text if text.isprintable() and "  " not in text else _SPACES.sub(" ", text)


class Lines:
    """Collects text with white space collapsed and line breaks merged."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.space = False
        self.breaks = 0
        self.fresh = True  # nothing yet on this line
        self.tabbed = False  # a cell has just ended

    def text(self, text: str, white_space: str) -> None:
        """Add a text of an element with this value of white-space."""
        if white_space in ("pre", "pre-wrap", "break-spaces"):
            self._put(text.replace("\r\n", "\n").replace("\r", "\n"))
        elif white_space == "pre-line":
            for index, line in enumerate(text.split("\n")):
                if index:
                    self.line_break()
                self._collapsed(_BLANKS.sub(" ", line))
        else:
            self._collapsed(_one_space(text))

    def _collapsed(self, text: str) -> None:
        if text.startswith(" "):
            self.space = True
        stripped = text.strip(" ")
        if stripped:
            self._put(stripped)
            self.space = text.endswith(" ")

    def _put(self, text: str) -> None:
        if not text:
            return
        if self.breaks and self.parts:
            self.parts.append("\n" * self.breaks)
            self.fresh = True
        elif self.space and not self.fresh and not self.tabbed:
            self.parts.append(" ")
        self.breaks, self.space, self.tabbed = 0, False, False
        self.parts.append(text)
        self.fresh = text.endswith("\n")

    def control(self, text: str) -> None:
        """Add the text of a field or a button, separate from the text around it. Even an empty one separates words."""
        self.space = True
        for index, line in enumerate(text.strip().split("\n")):
            if index:
                self.line_break()
            self._collapsed(_one_space(line))
        self.space = True

    def apart(self, block: bool) -> None:
        """Separate the texts before and after something that is not seen."""
        if block:
            self.block(1)
        self.space = self.space or not block

    def line_break(self) -> None:
        """Add a <br>, which ends the line or makes an empty one."""
        if self.breaks and self.parts:
            self.parts.append("\n" * self.breaks)
        self.breaks, self.space = 0, False
        self.parts.append("\n")
        self.fresh = True

    def block(self, breaks: int) -> None:
        """Add the edge of a block: the next text starts a new line, after an empty one if ``breaks`` is 2."""
        wanted = max(0, breaks - 1) if self.fresh else breaks
        self.breaks, self.space = max(self.breaks, wanted), False

    def tab(self) -> None:
        """Add the edge between two cells of a row."""
        if not self.fresh and not self.breaks:
            self.parts.append("\t")
            self.space, self.tabbed = False, True

    def result(self) -> str:
        """Return the whole text, without space at line ends and with at most one empty line in a row."""
        text = drop_controls("".join(self.parts))
        if " \n" in text or "\t\n" in text:
            text = re.sub(r"[ \t]+\n", "\n", text)
        return re.sub(r"\n{3,}", "\n\n", text).strip("\n\t ")
