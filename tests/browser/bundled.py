"""Scripts of pages with all that they import in one file each: a fifth of what Chromium and its driver computed for a
bench went into its sixty modules. They run as if each were loaded alone: once a page, in strict mode, what a module
imports before itself. A module or a name that is not there, and a way to import that is not known here, is an error,
and the page has no script.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple

from django.contrib.staticfiles import finders

IMPORT = re.compile(r'^import (?:{([^}]*)} from )?"(\.[^"]+)";', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function\*?) (\w+))", re.MULTILINE)
NOT_KNOWN = re.compile(r"^(?:import|export|await)\b|\bimport[.(]", re.MULTILINE)

NO_MODULES = ("js/web/theme-early.js", "js/web/failed-scripts.js", "js/web/once.js")


class Module(NamedTuple):
    """A module as the body of a function that returns its exports, what it imports, and the names that it exports."""

    body: str
    imported: tuple[str, ...]
    names: tuple[str, ...]


@cache
def module(path: str) -> Module:
    """The module at this path below the static files."""
    file = finders.find(path)
    assert isinstance(file, str), f"{path} is not there"
    text = Path(file).read_text("utf-8")
    imported = []

    def taken(match: re.Match[str]) -> str:
        names, source = match[1] or "", normpath(join(dirname(path), match[2]))
        imported.append(source)
        wanted = {name.partition(" as ")[0].strip() for name in names.split(",") if name.strip()}
        assert wanted <= {*module(source).names}, f"{path} imports {wanted} of {source}"
        return f'const {{{names.replace(" as ", ": ")}}} = modulesOfPage["{source}"];'

    names = (*EXPORT.findall(text),)
    body = EXPORT.sub("", IMPORT.sub(taken, text))
    assert not NOT_KNOWN.search(body), f"{path} imports or exports in a way that is not known here"
    return Module(f'"use strict";\n{body}\nreturn {{ {", ".join(names)} }};', (*imported,), names)


@cache
def bundled(path: str) -> bytes:
    """The module with all that it imports; b"" of what is no module of ours."""
    if not path.startswith("js/") or path in NO_MODULES:
        return b""
    order: dict[str, None] = {}

    def add(name: str) -> None:
        for each in module(name).imported:
            if each not in order:
                add(each)
        order[name] = None

    add(path)
    parts = (f'modulesOfPage["{name}"] ??= (() => {{\n{module(name).body}\n}})();' for name in order)
    exports = f'export const {{ {", ".join(module(path).names)} }} = modulesOfPage["{path}"];'
    return "\n".join(("globalThis.modulesOfPage ??= {};", *parts, exports)).encode()
