"""What pages, messages and scripts say that is translated, and the files of `locale/` that say it in other languages.

`python -m tests.catalogues` brings `locale/*/LC_MESSAGES/*.po` up to the sources (new texts come with an empty
`msgstr`, texts that are nowhere any more go) and compiles what is there. `tests/test_translations.py` says what is
missing.
"""

from __future__ import annotations

import ast
import re
import struct
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from django.utils.translation.template import templatize

from assess.campaigns.track_texts import TrackText, with_texts
from tracks import TRACKS
from tracks.designs.form_tables import FORMS

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
CALLS = {
    "_",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "ngettext_noop",
    "noop",
    "Sentence",
    "Phrase",
    "marked",
}
STRING = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
IN_TEMPLATE = re.compile(rf"(?<![\w.])(n?gettext|_)\(({STRING})(?:,\s*({STRING}))?")
IN_CONTEXT = re.compile(rf"\bpgettext\(({STRING}),\s*({STRING})\)")
IN_SCRIPT = re.compile(r"\bworded\(\s*(\"(?:[^\"\\]|\\.)*\"(?:\s*\+\s*\"(?:[^\"\\]|\\.)*\")*|`[^`]*`)")
HEAD = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
    '"Language: {language}\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
)

WORD = re.compile(r"[a-z]{4}")
CONTEXT = "\4"
Text = tuple[str, ...]
"""A text, or one thing of it and several; what tells it from one that reads alike stands before it (`CONTEXT`)."""


def in_templates() -> Iterator[tuple[Text, str]]:
    """Return the texts of the templates, each with the file."""
    for path in sorted((ROOT / "templates").rglob("*.html")):
        source = templatize(path.read_text(encoding="utf-8"))
        for found in IN_TEMPLATE.finditer(source):
            yield tuple(ast.literal_eval(each) for each in found.groups()[1:] if each), str(path.relative_to(ROOT))
        for found in IN_CONTEXT.finditer(source):
            yield (CONTEXT.join(ast.literal_eval(each) for each in found.groups()),), str(path.relative_to(ROOT))


def in_code() -> Iterator[tuple[Text, str]]:
    """Return the texts of the code of the site, each with the file."""
    for place in ("assess", "nuggets", "assay_site", "scoring", "tracks"):
        for path in sorted((ROOT / place).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            if not any(each in source for each in ("gettext", "noop(", "Sentence(", "Phrase(", "marked(")):
                continue
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                    is_plural = node.func.id.startswith("ng") or (node.func.id == "Sentence" and len(node.args) > 1)
                    number = 2 if is_plural else 1
                    texts = [each.value for each in node.args[:number] if isinstance(each, ast.Constant)]
                    if len(texts) == number:
                        yield tuple(texts), str(path.relative_to(ROOT))


def in_designs() -> Iterator[tuple[Text, str]]:
    """Return the texts of the forms of designs, which pages look up: `tracks` doesn't import Django."""
    for form in FORMS.values():
        for each in form:
            for text in (each.label, each.help, *(label for _, label in each.choices)):
                if text:
                    yield (text,), "tracks/designs/form_tables.py"


def in_tracks() -> Iterator[tuple[Text, str]]:
    """Return the texts of the site's own evaluations that pages write in the reader's language, without names of
    measures and what else has no word of a language: `tracks` doesn't import Django.
    """
    for track in TRACKS:
        said = [*_track_texts(with_texts(track)), *_track_texts(tomllib.loads(track.design))]
        for each in fields(track.settings):
            said += [str(each.metadata[name]) for name in ("label", "help") if each.metadata.get(name)]
        yield from (((text,), f"tracks/{track.key}") for text in said if WORD.search(text))


def _track_texts(found: Any) -> Iterator[str]:
    if isinstance(found, TrackText):
        yield str(found)
    elif is_dataclass(found) and not isinstance(found, type):
        for each in fields(found):
            yield from _track_texts(getattr(found, each.name))
    elif isinstance(found, tuple | list):
        for one in found:
            yield from _track_texts(one)
    elif isinstance(found, dict):
        for name, one in found.items():
            yield from (grade for scale in one for grade in scale) if name == "scales" else _track_texts(one)


def in_scripts() -> Iterator[tuple[Text, str]]:
    """Return the texts of the scripts, each with the file."""
    for path in sorted((ROOT / "static/js").rglob("*.js")):
        for found in IN_SCRIPT.finditer(path.read_text(encoding="utf-8")):
            yield (str(ast.literal_eval(f"({found[1]})")),), str(path.relative_to(ROOT))


def sources(domain: str) -> dict[Text, str]:
    """Return what is said, each text once, with the first file that says it."""
    found: dict[Text, str] = {}
    for text, place in (
        [*in_templates(), *in_code(), *in_designs(), *in_tracks()] if domain == "django" else in_scripts()
    ):
        singular = next((known for known in found if known[0] == text[0]), None) if len(text) == 2 else None
        if singular is not None and len(singular) == 1:
            del found[singular]
        if len(text) == 2 or not any(known[0] == text[0] for known in _plurals(found)):
            found.setdefault(text, place)
    return found


def _plurals(found: dict[Text, str]) -> list[Text]:
    return [known for known in found if len(known) == 2]


def read(path: Path) -> dict[Text, Text]:
    """Return the texts of a catalogue, each with its translation, without the head."""
    entries: dict[Text, Text] = {}
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        found: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if line.startswith("#"):
                if "fuzzy" in line:
                    found["fuzzy"] = ""
                continue
            head, _, value = line.partition(" ") if not line.startswith('"') else (name, "", line)
            name = head
            found[name] = found.get(name, "") + ast.literal_eval(value)
        if found.get("msgid") and "fuzzy" not in found:
            before = found["msgctxt"] + CONTEXT if "msgctxt" in found else ""
            texts = tuple(before * (key == "msgid") + found[key] for key in ("msgid", "msgid_plural") if key in found)
            entries[texts] = tuple(found[key] for key in ("msgstr", "msgstr[0]", "msgstr[1]") if key in found)
    return entries


def write(path: Path, entries: dict[Text, Text], places: dict[Text, str]) -> None:
    """Write a catalogue, each text under the file that says it first."""
    blocks = [HEAD.format(language=path.parent.parent.name)]
    for texts, said in entries.items():
        before, _, text = texts[0].rpartition(CONTEXT)
        lines = [f"#: {places[texts]}", *([f"msgctxt {_quoted(before)}"] if before else []), f"msgid {_quoted(text)}"]
        if len(texts) == 2:
            lines += [f"msgid_plural {_quoted(texts[1])}"]
            lines += [f"msgstr[{number}] {_quoted(each)}" for number, each in enumerate(said)]
        else:
            lines += [f"msgstr {_quoted(said[0])}"]
        blocks.append("\n".join(lines) + "\n")
    path.write_text("\n".join(blocks), encoding="utf-8")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def compiled(path: Path) -> bytes:
    """Return the catalogue as gettext reads it: what has no translation is left out."""
    head = ast.literal_eval("(" + HEAD.format(language=path.parent.parent.name).split("msgstr", 1)[1] + ")")
    pairs = {"": head}
    for texts, said in read(path).items():
        if all(said):
            pairs["\0".join(texts)] = "\0".join(said)
    names = [(key.encode(), pairs[key].encode()) for key in sorted(pairs)]
    start = 28 + 16 * len(names)
    strings, tables = b"", [b"", b""]
    for column in (0, 1):
        for pair in names:
            tables[column] += struct.pack("<II", len(pair[column]), start + len(strings))
            strings += pair[column] + b"\0"
    size = len(names)
    return struct.pack("<7I", 0x950412DE, 0, size, 28, 28 + 8 * size, 0, start) + tables[0] + tables[1] + strings


def catalogues() -> list[Path]:
    """Return the catalogues that there are."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))


def bring_up() -> None:
    """Bring every catalogue up to the sources, and compile it."""
    for path in catalogues():
        known = read(path)
        by_first = {texts[0]: said for texts, said in known.items()}
        places = sources(path.stem)
        entries = {}
        for texts in sorted(places, key=lambda texts: (places[texts], texts)):
            said = known.get(texts) or by_first.get(texts[0]) or ("",)
            entries[texts] = tuple((*said, "")[:2]) if len(texts) == 2 else said[:1]
        write(path, entries, places)
        path.with_suffix(".mo").write_bytes(compiled(path))
        print(f"{path.relative_to(ROOT)}: {sum(not all(said) for said in entries.values())} without a translation")


if __name__ == "__main__":
    bring_up()
