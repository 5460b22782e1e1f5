"""Pages, guides and messages use one word for one thing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INSTEAD = {
    r"mend(s|ed|ing)?": "repair (the site a file), correct (a person a file), resolve (before freezing)",
    r"plant(s|ed|ing)?": "add control items",
    r"amiss": "problems found",
    r"foretells?|foretold": "estimate",
    r"pieces?\s+of\s+(your\s+)?work": "assignment, assignments",
    r"knows?\s+(no|nothing)": "doesn't know, doesn't import, has no",
    r"none\s+but": "only",
    r"(?<!, )whose\s+words?": "whose judgments, whose opinion",
    r"stands?\s+instead": "replaces",
    r"what\s+there\s+is": "name it",
    r"at\s+(its|their)\s+hour": "on time, when it is due",
    r"as\s+they\s+come": "in their order",
    r"(refused|said|left\s+out)\s+(is|are)\s+(what|those|that|stages)": "subject first: refuses what …",
}
WORDED = re.compile(r"{%\s*(?:translate|trans)\s+\"([^\"]*)\".*?%}")
TAGS = re.compile(r"{%.*?%}|{{.*?}}|\b(?:id|name|for|href|class)=(\"[^\"]*\"|'[^']*')", re.DOTALL)
CODE = re.compile(r"`[^`\n]*`|^ {4}.*$", re.MULTILINE)
COMMAND = re.compile(r"\bplant (?=[\w-]* ?--)")
PLACES = ("assess", "nuggets", "tracks", "scoring", "assay_site")

Texts = Iterator[tuple[str, str]]


def guides() -> Texts:
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        yield str(path.relative_to(ROOT)), CODE.sub("", path.read_text(encoding="utf-8"))


def pages() -> Texts:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        yield str(path.relative_to(ROOT)), TAGS.sub("", WORDED.sub(r"\1", path.read_text(encoding="utf-8")))


def messages() -> Texts:
    """The strings of the code that are neither docstrings nor single words, which are names for programs."""
    for path, tree in modules():
        for line, text in strings(tree):
            yield f"{path}:{line}", COMMAND.sub("", text)


def docstrings() -> Texts:
    """Yield the docstrings without code: that of the command `plant` has its name between backticks."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, documented) and (text := ast.get_docstring(node)):
                yield f"{path}: {getattr(node, 'name', 'the module')}", CODE.sub("", text)


def modules() -> Iterator[tuple[Path, ast.Module]]:
    places = [path for path in PLACES if (ROOT / path).is_dir()]
    for path in sorted(path for place in places for path in (ROOT / place).rglob("*.py")):
        if path.parent.name != "migrations":
            yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and node not in docstrings else None
        if isinstance(text, str) and " " in text:
            yield node.lineno, text


@pytest.mark.parametrize("texts", [guides, pages, messages, docstrings])
def test_no_word_is_used_where_we_say_another(texts: Callable[[], Texts]) -> None:
    found = [
        f"{place}: “{match[0]}”; say {word}"
        for place, text in texts()
        for unused, word in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{unused})\b", text, re.IGNORECASE)
    ]
    assert found == []


def test_every_page_with_ledger_points_says_what_they_number() -> None:
    """They number the acts of the whole site: whoever takes them for a count of the campaign's judgments is told."""
    named = [path for path in sorted((ROOT / "templates").rglob("*.html")) if path.name != "ledger_points.html"]
    texts = {path: path.read_text(encoding="utf-8") for path in named}
    told = {path for path, text in texts.items() if "ledger_points.html" in text}
    parts = {"assess/releases/parts/succession.html"}  # a line of a table whose page says it
    silent = [
        str(path.relative_to(ROOT / "templates"))
        for path, text in texts.items()
        if re.search(r"ledger\s+(as\s+of\s+)?point", text, re.IGNORECASE) and path not in told
    ]
    assert set(silent) == parts
    tables = [(ROOT / "templates/assess" / name) for name in ("organising/activity.html", "releases/release.html")]
    assert told.issuperset(tables), "their columns are named in the code"


def test_commands_count_one_thing_as_one() -> None:
    counts = re.compile(
        r"\{(?!counted|[A-Z]+\})[^{}]*\} (?:rows|files|items|lines|targets|docnos|tables|draws|stages|questions)\b"
    )
    places = [*ROOT.glob("assess/management/**/*.py"), *ROOT.glob("tracks/**/commands.py")]
    assert len(places) > 50
    assert {path.name: counts.findall(path.read_text()) for path in places if counts.search(path.read_text())} == {}
