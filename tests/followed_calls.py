"""What a call runs through: the site's own functions in the order in which they began, with their lines."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Step:
    """A function that ran: where it stands, how many lines it has, and how many of them are its docstring."""

    file: str
    name: str
    lines: int
    docstring: int


@contextmanager
def followed() -> Iterator[list[Step]]:
    """Collect the functions of the site that this thread calls within the block, each once."""
    steps: dict[Step, None] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (step := _step_of(frame.f_code)) is not None:
            steps[step] = None

    found: list[Step] = []
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield found
    finally:
        sys.setprofile(before)
        found.extend(steps)


@cache
def _step_of(code: CodeType) -> Step | None:
    """Return the function of the site to which this code belongs, or None where it belongs to none."""
    file = Path(code.co_filename)
    if not file.is_relative_to(ROOT) or file.relative_to(ROOT).parts[0] in (".venv", "tests"):
        return None
    within = [each for each in _functions(file) if each[0] <= code.co_firstlineno <= each[1]]
    if not within:
        return None
    first, last, function = within[0]
    text = function.body[0]
    is_documented = ast.get_docstring(function) is not None
    return Step(
        file=str(file.relative_to(ROOT)),
        name=function.name,
        lines=last - first + 1,
        docstring=(text.end_lineno or text.lineno) - text.lineno + 1 if is_documented else 0,
    )


@cache
def _functions(file: Path) -> list[tuple[int, int, ast.FunctionDef]]:
    """Return the functions of a file with their first and last lines, outer ones before those within them."""
    functions = [each for each in ast.walk(ast.parse(file.read_text())) if isinstance(each, ast.FunctionDef)]
    return [
        (min([each.lineno, *(one.lineno for one in each.decorator_list)]), each.end_lineno or each.lineno, each)
        for each in functions
    ]
