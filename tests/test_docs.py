"""The documentation says what the code does: names, commands, settings, keys, links and pictures are all there."""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.core.management import CommandError, get_commands, load_command_class

from assess.protocol import Track
from assess.web.guides import _blocks
from scoring.__main__ import _parser as scoring_parser
from scoring.formats.document_files import DOCUMENT_FORMATS
from scoring.formats.known_formats import FORMATS
from scoring.measures import MEASURES
from tests.guides import DOCS, NAMES, ROOT, text_of
from tests.reference import reference
from tracks import TRACKS
from tracks.__main__ import _parser as tracks_parser

OURS = ("assess", "nuggets")
BORROWED = {"createsuperuser", "changepassword", "migrate"}  # of Django
KEY_NAMES = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→"}
CALL = re.compile(r"(?:\.venv/bin/)?(?:python )?(manage\.py|-m tracks|-m scoring) (.+)")
HOST = re.compile(r"\w+://(?:[^\s/@)`\"]*@)?([\w.-]+)")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
SOURCE = re.compile(r'src(?:set)?="([\w./-]+\.png)"')
PICTURE_LIMIT = 200_000


def _rows(name: str) -> list[str]:
    """The names in the first cells of all tables of a page: `a`, or `a`, `b`."""
    cells = re.findall(r"^\| ((?:`[^`|]+`(?:, )?)+) \|", text_of(name), re.MULTILINE)
    return [found for cell in cells for found in re.findall(r"`([^`]+)`", cell)]


def _headings(name: str) -> list[str]:
    return re.findall(r"^#{1,4} (.+)$", text_of(name), re.MULTILINE)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


# ---------------------------------------------------------------- settings and commands


def test_every_setting_of_the_site_is_a_row_and_every_row_is_a_setting() -> None:
    settings = text_of("assay_site/settings.py")
    read = set(re.findall(r"""(?:environment\.\w+|database|mail)\(\s*"(ASSAY_\w+)\"""", settings))
    assert read >= {"ASSAY_DATA_DIR", "ASSAY_DATABASE", "ASSAY_HTTPS"}
    described = {row for row in _rows("docs/settings-and-commands.md") if row.startswith("ASSAY_")}
    assert described == read


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_every_setting_of_a_track_is_a_row(track: object) -> None:
    names = [field.name for field in fields(track.settings)]  # type: ignore[attr-defined]
    assert [name for name in names if name not in _rows("docs/settings-and-commands.md")] == []


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_the_row_of_a_setting_says_until_when_it_may_be_changed(track: Track) -> None:
    settings = {each.name: each.metadata["change"].value for each in fields(track.settings)}
    tables = re.findall(r"(?:^\|.*\n)+", text_of("docs/settings-and-commands.md"), re.MULTILINE)
    rows = [re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|[^|]*\| ?([^|]*) \|", table, re.MULTILINE) for table in tables]
    said = [{name: until for names, until in each for name in re.findall(r"`(\w+)`", names)} for each in rows]
    assert settings in said


NO_LITERAL = {  # defaults that are told in words
    "ASSAY_DATA_DIR": "`var` in the clone; installed, in the folder in which a command is called",
    "ASSAY_DATABASE": "SQLite in the data folder",
    "ASSAY_MAIL": "printed by `serve`",
    "ASSAY_SECRET_KEY": "written to `secret-key` in the data folder when a site is begun",
    "holistic_comments": "what the columns are",
}


def _cell(value: object) -> str:
    """How a table shows a default: nothing for what is empty, yes and no, parts with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(getattr(value, "value", value))


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_the_row_of_a_setting_of_a_track_has_its_default(track: Track) -> None:
    made = track.settings()
    settings = {
        each.name: NO_LITERAL.get(each.name, _cell(getattr(made, each.name))) for each in fields(track.settings)
    }
    tables = re.findall(r"(?:^\|.*\n)+", text_of("docs/settings-and-commands.md"), re.MULTILINE)
    rows = [re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ?([^|]*?) ?\|", table, re.MULTILINE) for table in tables]
    told = [{name: cell.strip("`") for names, cell in each for name in re.findall(r"`(\w+)`", names)} for each in rows]
    assert settings in told


def test_the_row_of_a_setting_of_the_site_has_its_default() -> None:
    defaults = dict.fromkeys(NO_LITERAL, "")
    for call in ast.walk(ast.parse(text_of("assay_site/settings.py"))):
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
            name, given = str(call.args[0].value), call.args[1:2]
            if name.startswith("ASSAY_") and name not in NO_LITERAL:
                value = given[0].value if given and isinstance(given[0], ast.Constant) else ""
                defaults[name] = str(int(value)) if isinstance(value, bool) else str(value)
    rows = re.findall(
        r"^\| ((?:`ASSAY_\w+`(?:, )?)+) \| ?([^|]*?) ?\|", text_of("docs/settings-and-commands.md"), re.MULTILINE
    )
    told = {
        name: cell if name in NO_LITERAL else cell.strip("`") for n, cell in rows for name in re.findall(r"`(\w+)`", n)
    }
    assert told == {name: NO_LITERAL.get(name, value) for name, value in defaults.items() if name.startswith("ASSAY_")}


def test_every_command_of_ours_is_a_row() -> None:
    ours = {name for name, app in get_commands().items() if app in OURS}
    assert sorted(ours - set(_rows("docs/settings-and-commands.md"))) == []


def test_the_table_of_commands_names_no_command_that_there_is_not() -> None:
    commands = text_of("docs/settings-and-commands.md").split("## Commands", 1)[1].split("\nWithout the site", 1)[0]
    rows = set(re.findall(r"^\| `(\w+)` \|", commands, re.MULTILINE))
    assert rows - {name for name, app in get_commands().items() if app in OURS} == BORROWED


@pytest.mark.parametrize(("parser", "module"), [(scoring_parser(), "scoring"), (tracks_parser(), "tracks")])
def test_every_command_without_the_site_is_described(parser: object, module: str) -> None:
    (commands,) = (action.choices for action in parser._actions if action.choices)  # type: ignore[attr-defined]
    guide = text_of("docs/settings-and-commands.md")
    assert [name for name in commands if f"`python -m {module} {name}" not in guide] == []


def test_the_list_of_options_and_settings_is_what_the_program_says() -> None:
    """`ASSAY_WRITE_TABLES=yes pytest -n 0 tests/test_docs.py -k options` writes it anew, to be looked at as code is."""
    if os.environ.get("ASSAY_WRITE_TABLES"):
        (DOCS / "reference.md").write_text(reference(), encoding="utf-8")
    assert text_of("docs/reference.md") == reference()
    assert re.findall(r"^.*\|(?:  |$| : .*)\|$", reference().split("\n## Settings", 1)[0], re.MULTILINE) == []


# ---------------------------------------------------------------- formats, measures, tracks


def test_every_format_has_a_heading_with_a_line_and_a_source() -> None:
    names = [known.name for known in FORMATS] + list(DOCUMENT_FORMATS)
    sections = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", text_of("docs/formats.md"), re.MULTILINE | re.DOTALL))
    assert sorted(sections) == sorted(names)
    assert [name for name in names if name != "text" and "\n    " not in sections[name]] == []
    assert [name for name in names if "Source:" not in sections[name].replace("\n", " ")] == []


def test_every_measure_is_described() -> None:
    described = {*_headings("docs/measures.md"), *_rows("docs/measures.md")}
    assert [measure.name for measure in MEASURES if measure.name not in described] == []


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_every_column_of_a_track_is_described(track: object) -> None:
    columns = [column.key for column in track.scoring.measures]  # type: ignore[attr-defined]
    page = text_of("docs/measures.md")
    assert [column for column in columns if f"`{column}`" not in page] == []


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_every_export_of_a_track_is_described(track: object) -> None:
    names = [export.name for export in track.exports]  # type: ignore[attr-defined]
    page = text_of("docs/scores-and-releases.md")
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_every_track_is_in_the_list_of_evaluations(track: object) -> None:
    assert f"(`{track.key}`)" in text_of("docs/organisers.md")  # type: ignore[attr-defined]


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_every_stage_of_a_track_is_a_chapter_for_assessors(track: object) -> None:
    stages = [stage.label for task in track.tasks for stage in task.stages]  # type: ignore[attr-defined]
    assert [stage for stage in stages if stage not in _headings("docs/assessors.md")] == []


# ---------------------------------------------------------------- keys


def test_every_key_of_the_workbenches_is_in_the_assessors_guide() -> None:
    templates = [*(ROOT / "templates/nuggets").rglob("*.html"), *(ROOT / "templates/assess/kinds").rglob("*.html")]
    templates += (ROOT / "templates/assess/topic_drafts").rglob("*.html")
    templates += (ROOT / "templates/assess/judging").rglob("*.html")
    templates.append(ROOT / "templates/assess/documents/parts/document.html")
    text = "".join(template.read_text(encoding="utf-8") for template in templates)
    keys = {key for found in re.findall(r'data-(?:vote-)?key="([^"{]+)"', text) for key in found.split()}
    keys |= {
        grade.key for track in TRACKS for t in track.tasks for s in t.stages for c in s.criteria for grade in c.grades
    }
    guide = text_of("docs/assessors.md")
    assert {"j", "k", "u", "Space"} <= keys
    assert sorted(key for key in keys if not _is_named(key, guide)) == []


def _is_named(key: str, guide: str) -> bool:
    name = KEY_NAMES.get(key, key)
    return f"`{name}`" in guide or (len(key) > 1 and name in guide) or (key.isdigit() and "`1` to `9`" in guide)


# ---------------------------------------------------------------- links, pictures, hosts


def test_the_site_of_the_guides_leads_to_every_page() -> None:
    parts = [value for part in tomllib.loads(text_of("zensical.toml"))["project"]["nav"] for value in part.values()]
    named = [page for part in parts for page in ([part] if isinstance(part, str) else part)]
    assert [page for page in named if not (DOCS / page).is_file()] == []
    assert sorted(page.name for page in DOCS.glob("*.md")) == sorted(page for page in named if "/" not in page)


@pytest.mark.parametrize("name", NAMES)
def test_links_and_pictures_lead_somewhere(name: str) -> None:
    page = ROOT / name
    broken = []
    for target in [*LINK.findall(text_of(name)), *SOURCE.findall(text_of(name))]:
        path, _, anchor = unquote(target).partition("#")
        found = (page.parent / path).resolve() if path else page
        if re.match(r"\w+:", target):
            continue
        is_there = found.exists() and ROOT in (found, *found.parents)
        if not is_there or (anchor and anchor not in map(_anchor, _headings(str(found.relative_to(ROOT))))):
            broken.append(target)
    assert broken == []


def test_every_picture_is_shown_and_small() -> None:
    targets = [target for name in NAMES for target in [*LINK.findall(text_of(name)), *SOURCE.findall(text_of(name))]]
    shown = {Path(target).name for target in targets if "pictures/" in target}
    shown |= {block.html for block in _blocks("assessors") if block.kind == "picture-dark"}  # in Help alone
    pictures = sorted(path for form in ("png", "svg") for path in (DOCS / "pictures").glob(f"*.{form}"))
    assert {picture.name for picture in pictures} == shown
    assert [picture.name for picture in pictures if picture.stat().st_size >= PICTURE_LIMIT] == []


@pytest.mark.parametrize("name", NAMES)
def test_hosts_are_examples(name: str) -> None:
    hosts = set(HOST.findall(text_of(name)))
    allowed = ("localhost", "127.0.0.1", "example.org")
    assert {host for host in hosts if host not in allowed and not host.endswith(".example.org")} == set()


@pytest.mark.parametrize("name", [f"docs/{page}.md" for page in ("architecture", "developers", "pages")])
def test_files_and_folders_that_are_named_exist(name: str) -> None:
    named = re.findall(r"`([\w.]+(?:/[\w.]+)*/?(?:\.\w+)?)(?::[^`]*)?`", text_of(name))
    paths = {path for path in named if "/" in path or path.endswith((".py", ".md", ".txt", ".in", ".html"))}
    kinds = (ROOT / "assess/kinds/grade", ROOT / "nuggets/writing", ROOT / "nuggets/matches")
    shown = (ROOT / "templates", ROOT / "static", ROOT / "static/js")
    places = (ROOT, ROOT / "assess", ROOT / "nuggets", ROOT / "tests", ROOT / "tracks/tac2008_qa", *kinds, *shown)
    assert sorted(path for path in paths if not any((place / path).exists() for place in places)) == []


# ---------------------------------------------------------------- what docstrings and comments name

SOURCES = [
    path
    for folder in ("assess", "nuggets", "scoring", "tracks", "assay_site", "bench", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
MODULE = re.compile(r"(?<!`)`((?:\w+/)*\w+\.py)(?:: (\w+)[^`]*)?`(?!`)")


def _asides(source: str) -> Iterator[str]:
    """The docstrings and comments of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_the_table_of_nouns_has_the_lines_of_the_contract_of_imports() -> None:
    contracts = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["name"] == "Nouns of assess import downwards")
    kept = [
        {re.sub(r"^kinds\.(?!picks|grade).*", "kinds", name.strip("()")) for name in re.split(r" [|:] ", layer)}
        for layer in layers
    ]
    guide = text_of("docs/architecture.md")
    said: list[set[str]] = []
    for row in re.findall(r"^\| (`[^|]*) \|", guide[guide.index("| nouns of `assess/`") :].partition("\n\n")[0], re.M):
        names = [name.replace("/", ".") for name in re.findall(r"`([\w/]+?)(?:\.py|/)`", row)]
        said += [{name} for name in names] if ", then" in row else [set(names)]
    assert said == [line - {"admin"} for line in kept]


def test_names_that_the_guides_of_developers_give_are_in_the_code() -> None:
    others = [path for folder in ("static/js", "templates") for path in sorted((ROOT / folder).rglob("*.*"))]
    texts = {f"/{path.relative_to(ROOT)}": path.read_text(encoding="utf-8") for path in (*SOURCES, *others)}
    written = set().union(*(re.findall(r"\w+", text) for text in texts.values()))
    gone = set()
    pages = ("architecture", "adding-a-rule", "developers", "pages", "add-a-track")
    for guide in map(text_of, [f"docs/{page}.md" for page in pages]):
        gone |= {word for word in re.findall(r"`([A-Za-z_]\w{3,})(?:\(\))?`", guide) if word not in written}
        for path, member in MODULE.findall(guide):
            meant = [text for place, text in texts.items() if place.endswith(f"/{path}")]
            if member and not any(re.search(rf"\b{member}\b", text) for text in meant):
                gone.add(f"{path}: {member}")
    assert gone <= {"python3"}


def test_modules_that_docstrings_and_comments_name_exist() -> None:
    """By their path from the project or from an app, or by their file's name alone; with what they hold after it."""
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    places = {f"/{path.relative_to(ROOT)}": path for path in SOURCES}
    gone = []
    for path, source in texts.items():
        if MODULE.search(source) is None:
            continue  # to take the others apart is most of the time
        for named, member in (found for text in _asides(source) for found in MODULE.findall(text)):
            meant = [path for place, path in places.items() if place.endswith(f"/{named}")]
            if not any(re.search(rf"\b{member}\b", texts[each]) for each in meant) and named != "setup.py":
                gone.append(f"{path.relative_to(ROOT)}: {named} {member}".strip())
    assert gone == []


def test_what_the_comments_of_templates_name_exists() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "templates").rglob("*.html"))
    comments = "\n".join(re.findall(r"{#.*?#}", pages))
    named = set(re.findall(r"\b((?:assess|nuggets)(?:\.[a-z_]+)+)\.([A-Z]\w+)", comments))
    assert len(named) > 5
    assert [(module, name) for module, name in sorted(named) if not hasattr(import_module(module), name)] == []


# ---------------------------------------------------------------- commands as they are typed


def _calls() -> list[tuple[str, str, str]]:
    """(page, program, arguments) of every command of ours that is written out; a lone name stands for the command."""
    found = []
    for name in NAMES:
        code = re.findall(r"^ {4}(.+)$", text_of(name), re.MULTILINE) + re.findall(r"`([^`\n]+)`", text_of(name))
        for line in code:
            call = CALL.fullmatch(line.split("  #")[0].strip())
            if call and " " in call[2] and call[2] != "COMMAND --help" and "…" not in line:
                found.append((name, call[1], call[2]))
    return sorted(set(found))


@pytest.mark.parametrize(("name", "program", "arguments"), _calls())
def test_commands_can_be_typed_as_they_stand(name: str, program: str, arguments: str) -> None:
    words = shlex.split(arguments.split(" > ")[0])  # where it is written to is the shell's
    if program == "manage.py":
        app = get_commands()[words[0]]
        command = load_command_class(app, words[0]) if isinstance(app, str) else app
        try:
            command.create_parser("manage.py", words[0]).parse_args(words[1:])
        except CommandError as error:
            pytest.fail(f"{name}: manage.py {arguments}: {error}")
        return
    parser = tracks_parser() if program == "-m tracks" else scoring_parser()
    try:
        parser.parse_args(words)
    except SystemExit as ended:
        pytest.fail(f"{name}: python {program} {arguments}: exit status {ended.code}")


def test_commands_are_found_at_all() -> None:
    assert len(_calls()) > 30


@pytest.mark.parametrize("name", NAMES)
def test_make_targets_exist(name: str) -> None:
    targets = set(re.findall(r"^([\w.-]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:^ {4}|`)make (\w[\w.-]*)", text_of(name), re.MULTILINE)) - targets == set()


def test_the_readme_is_one_screen() -> None:
    """With 370 words it is 796 px high where a window is 1280 wide, in GitHub's sizes."""
    assert len(text_of("README.md").split()) <= 380


def test_the_two_commands_stand_near_the_top_of_the_readme() -> None:
    top = text_of("README.md").splitlines()[:22]
    assert [line.split("#")[0].strip() for line in top if line.startswith("    make")] == ["make demo", "make test"]
