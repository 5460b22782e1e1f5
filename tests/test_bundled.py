"""Scripts of pages with all that they import in one file each, as Chromium gets them in tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from tests.browser.bundled import NO_MODULES, bundled, module

SCRIPTS = Path(__file__).resolve().parents[1] / "static"
TEMPLATES = SCRIPTS.parent / "templates"


def test_every_script_of_a_page_is_understood() -> None:
    for path in (SCRIPTS / "js").rglob("*.js"):
        script = path.relative_to(SCRIPTS).as_posix()
        assert bool(bundled(script)) == (script not in NO_MODULES)
    pages = "".join(page.read_text() for page in TEMPLATES.rglob("*.html"))
    assert {*re.findall(r"""<script src="{% static '([^']+)' %}">""", pages)} == {*NO_MODULES}


def test_a_module_runs_after_what_it_imports_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders, "find", lambda path: str(tmp_path / path) if (tmp_path / path).is_file() else None)
    place = tmp_path / "js" / "in"
    place.mkdir(parents=True)
    (tmp_path / "js" / "a.js").write_text('import "./in/c.js";\nimport {\n  b as d, e,\n} from "./in/b.js";\nd(e);\n')
    (place / "b.js").write_text('import { c } from "./c.js";\nexport function b() {}\nexport const e = c;\n')
    (place / "c.js").write_text("export const c = 1;\n")
    script = bundled("js/a.js").decode()
    assert script.count("??= (() => {") == 3
    assert script.index('["js/in/c.js"] ??=') < script.index('["js/in/b.js"] ??=') < script.index('["js/a.js"] ??=')
    assert 'const {\n  b: d, e,\n} = modulesOfPage["js/in/b.js"];' in script
    for wrong in ('import { f } from "./in/c.js";', 'import "./d.js";', "export default 1;", "await b();"):
        (tmp_path / "js" / "wrong.js").write_text(f"{wrong}\n")
        module.cache_clear()
        with pytest.raises(AssertionError, match=r"wrong\.js|d\.js"):
            bundled("js/wrong.js")
