"""The structure as the plan draws it: import directions, where writes live, what templates may hold."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper as DjangosWrapper
from django.template.base import Lexer, TokenType

from assay_site.patient_sqlite.base import DatabaseWrapper
from assess.models import LedgerRow

ROOT = Path(__file__).resolve().parent.parent
CODE = [
    path for name in ("assay_site", "tracks", "nuggets", "assess", "scoring") for path in (ROOT / name).rglob("*.py")
]
WRITES = {"create", "bulk_create", "get_or_create", "update_or_create", "bulk_update", "delete", "save", "update"}
LEDGERS = [model for model in apps.get_models() if issubclass(model, LedgerRow)]


def test_imports_go_one_way() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


def test_no_test_module_takes_anything_from_another() -> None:
    """What several need stands in a module of their room that is no test module."""
    taking = re.compile(
        r"^\s*(?:from|import) (?:\S*\.)?test_\w+(?: import|$)|^\s*from tests\S* import .*\btest_\w", re.M
    )
    found = [
        path for name in ("tests", "bench") for path in (ROOT / name).rglob("*.py") if taking.search(path.read_text())
    ]
    assert found == []


def test_matplotlib_is_entered_through_one_door() -> None:
    """Two threads that import different modules of it at the same time find half a module, and a plot fails."""
    elsewhere = [path for path in CODE if re.search(r"^\s*(from|import) matplotlib", path.read_text(), re.M)]
    assert elsewhere == [ROOT / "assess" / "base/matplotlib_door.py"]


def test_json_that_anybody_sent_is_read_by_one_function() -> None:
    """`json.loads` fails on a thousand nested brackets; it reads what the site itself wrote, and no more."""
    own = {
        "assay_site/api_schema.py",
        "assess/exports/queries.py",  # columns of JSON, which Django would read by the same function
        "assess/pools/domain/planning.py",
        "assess/pools/domain/rankings_file.py",
        "assess/pools/domain/strategy.py",
        "assess/scores/kept.py",
        "assess/management/commands/demo.py",
        "assess/rendering/one_process.py",
        "assess/rendering/processes.py",
        "scoring/file_kinds/shapes.py",  # says what a beginning is, whatever is wrong with it, and takes nothing of it
        "scoring/reading/json_reading.py",
    }
    reading = re.compile(r"\bjson\.loads?\(|from json import|json\.JSONDecoder|literal_eval")
    assert {str(path.relative_to(ROOT)) for path in CODE if reading.search(path.read_text())} == own


def _orm_writes(path: Path) -> list[str]:
    """Calls such as `Thing.objects.create(…)` or `thing.save()` in a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES):
            continue
        source = ast.unparse(node.func)
        if "objects" in source or node.func.attr == "save":
            found.append(f"{path.relative_to(ROOT)}:{node.lineno} {source}")
    return found


def test_only_the_domain_writes() -> None:
    """Rows are written in the `domain` of a noun and in what is named here; whatever is new reads, till it is named."""
    beside = {
        "assess/campaigns/activity.py",
        "assess/campaigns/dates.py",
        "assess/campaigns/grown_work.py",
        "assess/kinds/picks/record.py",
        "assess/ledger/models.py",
        "assess/management/commands/demo.py",
        "assess/organising/copying.py",
        "assess/organising/design_versions.py",
        "assess/replay/given_items.py",
        "assess/replay/one_topic.py",
        "assess/replay/session.py",
        "assess/worker.py",
        "nuggets/classes/found_answers.py",
        "nuggets/classes/record.py",
        "nuggets/writing/adjudicate.py",  # an adjudicator's own list, a copy of a side's
        "nuggets/writing/edits.py",
        "nuggets/writing/lists.py",
        "nuggets/writing/many.py",
        "nuggets/writing/record.py",
        "nuggets/writing/sources.py",
    }
    files = [path for path in CODE if not {"domain", "migrations"} & {*path.relative_to(ROOT).parts, path.stem}]
    writes = [write.split(":")[0] for path in files for write in _orm_writes(path)]
    assert {*writes} == beside
    assert writes.count("nuggets/writing/adjudicate.py") == 1


@pytest.mark.parametrize("model", LEDGERS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("verb", ["UPDATE", "DELETE"])
@pytest.mark.django_db
def test_ledger_tables_have_their_triggers(model: type[LedgerRow], verb: str) -> None:
    table = model._meta.db_table
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s AND upper(name) LIKE %s"
    if connection.vendor == "postgresql":
        query = (
            "SELECT count(*) FROM information_schema.triggers"
            " WHERE event_object_table = %s AND event_manipulation LIKE %s"
        )
        pattern = verb
    else:
        pattern = f"%NO_{verb}"
    with connection.cursor() as cursor:
        cursor.execute(query, [table, pattern])
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db
def test_a_ledger_row_can_not_be_changed_or_deleted(grading) -> None:  # type: ignore[no-untyped-def]
    from assess.campaigns.activity import record_activity
    from assess.models import Activity

    row = record_activity(actor=grading.assessor, action="assignment.open", campaign=grading.campaign)
    with pytest.raises(DatabaseError, match="ledger"), transaction.atomic():
        Activity.objects.filter(pk=row.pk).update(action="assignment.done")
    with pytest.raises(DatabaseError, match="ledger"), transaction.atomic():
        Activity.objects.filter(pk=row.pk).delete()
    with pytest.raises(DatabaseError), transaction.atomic():
        row.save()
    assert Activity.objects.get(pk=row.pk).action == "assignment.open"


OTHERS = {"has_permission", "help_text", "initial", "login_form", "password_change", "site_header", "site_title"} | {
    *("adding", "compress_type", "daemon", "db", "external_attr", "file_size", "mode", "reportCharacterErrors", "tail"),
    "takes_turns",
}
"""Attributes that are set on what is no model: forms, the admin's site, views, elements of pages, members of zips."""


def _sets(node: ast.AST, *, on_self: bool) -> bool:
    is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    return is_set and (ast.unparse(node.value) == "self") == on_self  # type: ignore[attr-defined]


def _declared(tree: ast.AST, models: set[str]) -> Iterator[str]:
    """The attributes of classes that are no models: what their bodies name, and what they set on `self`."""
    for each in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name not in models):
        for node in each.body:
            if isinstance(node, ast.AnnAssign | ast.Assign):
                yield from map(ast.unparse, node.targets if isinstance(node, ast.Assign) else [node.target])
        for node in (found for found in ast.walk(each) if isinstance(found, ast.Attribute)):
            if _sets(node, on_self=True):
                yield node.attr


def _state_beside_fields(trees: dict[Path, ast.AST]) -> list[str]:
    """Where an attribute is set that neither a model has as a field nor another class declares, or `__dict__` read."""
    names = {model.__name__ for model in apps.get_models() if model._meta.app_label in ("assess", "nuggets")}
    known = {name for tree in trees.values() for name in _declared(tree, names)} | OTHERS
    known |= {name for model in apps.get_models() for field in model._meta.get_fields() for name in _names_of(field)}
    return [
        f"{path}:{node.lineno} {node.attr}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and (node.attr == "__dict__" or (_sets(node, on_self=False) and node.attr not in known))
    ]


def _names_of(field: Any) -> set[str]:
    return {field.name, getattr(field, "attname", field.name)}


def test_no_state_is_kept_on_a_row_that_is_not_a_field() -> None:
    """Whoever forgets such a flag reads a stale guideline, or writes to a campaign that is frozen."""
    files = [path for path in CODE if path.relative_to(ROOT).parts[0] in ("assess", "nuggets")]
    trees: dict[Path, ast.AST] = {path: ast.parse(path.read_text()) for path in files if "migrations" not in path.parts}
    assert _state_beside_fields(trees) == []
    flags = "class Assignment:\n    is_held = False\nwork.is_held = True\nwork.__dict__['used_list'] = None"
    found = _state_beside_fields({Path("flags.py"): ast.parse(flags)})
    assert found == ["flags.py:3 is_held", "flags.py:4 __dict__"]


FROM_DJANGO = re.compile(r"^\s*from (django\.[\w.]+) import (\([^)]*\)|.*)", re.M)


def _private_of_django(text: str) -> list[str]:
    """What a file imports of Django that is nobody's but Django's own."""
    found = [f"{module}.{name}" for module, names in FROM_DJANGO.findall(text) for name in re.findall(r"\w+", names)]
    return [name for name in found if "._" in name or name.startswith("django.db.models.sql")]


def test_nothing_private_of_django_is_imported_or_made_anew() -> None:
    own = [name for name in vars(DatabaseWrapper) if name.startswith("_") and not name.startswith("__")]
    assert [name for name in own if hasattr(DjangosWrapper, name)] == []
    assert [name for path in CODE for name in _private_of_django(path.read_text())] == []
    private = "from django.db.models.sql.compiler import SQLCompiler\nfrom django.db import (\n    models,\n    _x,\n)"
    assert _private_of_django(private) == ["django.db.models.sql.compiler.SQLCompiler", "django.db._x"]


Taker = tuple[Path | None, str]
"""A function's name, and the file where it is a private one."""


HANDED_ON = re.compile(r"^(?:replace|counted_in|Snapshot|scoring_state)\(|\.(?:as_of|counting|reached\(\))$")
"""What another snapshot, a ledger point and whose judgments count are made by, out of a snapshot."""


def _taker(path: Path, name: str) -> Taker:
    return (path if name.startswith("_") else None, name)


def _forgets(path: Path, function: ast.FunctionDef, given: str, takers: set[Taker]) -> list[str]:
    """The calls in a function that was given a snapshot which could take it, or its ledger point, and are not told."""
    told = {given}

    def tells(node: ast.AST) -> bool:
        within = list(ast.walk(node))
        campaigns = [each.value for each in within if isinstance(each, ast.Attribute) and each.attr == "campaign"]
        return any(isinstance(each, ast.Name) and each.id in told and each not in campaigns for each in within)

    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and tells(node.value) and HANDED_ON.search(ast.unparse(node.value)):
            told |= {each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return [
        f"{function.name}: {ast.unparse(call)}"
        for call in calls
        if _taker(path, ast.unparse(call.func)) in takers and not any(map(tells, (*call.args, *call.keywords)))
    ]


def test_whoever_has_a_snapshot_passes_it_on() -> None:
    """Who forgets reads the newest official rows, instead of those of the ledger point and the judges asked for."""
    takers: set[Taker] = set()
    given: list[tuple[Path, ast.FunctionDef, str]] = []
    for path in CODE:
        for function in ast.walk(ast.parse(path.read_text())):
            if not isinstance(function, ast.FunctionDef):
                continue
            for each in (*function.args.args, *function.args.kwonlyargs):
                is_snapshot = each.annotation is not None and "Snapshot" in ast.unparse(each.annotation)
                given += [(path, function, each.arg)] if is_snapshot else []
                takers |= {_taker(path, function.name)} if is_snapshot or each.arg == "as_of" else set()
    assert len(given) > 60
    assert [call for place in given for call in _forgets(*place, takers)] == []


TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


def test_what_may_fail_after_a_commit_has_a_name() -> None:
    """Django logs a failure by the function's name; a `partial` has none, and the failure was raised instead."""
    calls = [
        (path, node)
        for room in ("assess", "nuggets", "tracks", "assay_site")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "on_commit"
    ]
    robust = [(path, node) for path, node in calls if any(each.arg == "robust" for each in node.keywords)]
    assert len(robust) > 5
    for path, node in robust:
        assert isinstance(node.args[0], (ast.Lambda, ast.Name)), f"{path}:{node.lineno}"


def test_templates_hold_no_inline_script_or_style() -> None:
    inline = re.compile(
        r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")", re.I
    )
    assert [str(path.relative_to(ROOT)) for path in TEMPLATES if inline.search(path.read_text())] == []


def test_no_template_writes_a_tag_inside_a_tag() -> None:
    """Inside {% … %} a second tag is plain text: a page once said “Write {{ noun }}s from what you find”."""
    inside = [
        (str(path.relative_to(ROOT)), token.lineno, token.contents)
        for path in TEMPLATES
        for token in Lexer(path.read_text()).tokenize()
        if token.token_type == TokenType.BLOCK and re.search(r"\{\{|\{%", token.contents)
    ]
    assert inside == []


def test_what_is_typed_stands_where_its_letters_begin() -> None:
    """Arabic and Hebrew in a field that is laid out from the left have their full stop on the wrong side."""
    fields = re.compile(r"<textarea\b[^>]*>|<input\b[^>]*type=\"search\"[^>]*>")
    found = [(path, each) for path in TEMPLATES for each in fields.findall(path.read_text())]
    assert len(found) > 30
    assert [(path.name, each) for path, each in found if 'dir="auto"' not in each] == []


def test_lines_of_templates_can_be_read() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 200
    ]
    assert long == []


def test_only_one_module_marks_text_as_safe() -> None:
    def marks(path: Path) -> bool:
        return bool(re.search(r"mark_safe|\|\s*safe\b|autoescape off|SafeString\(", path.read_text()))

    assert len([path for path in CODE if marks(path)]) <= 1
    assert [str(path.relative_to(ROOT)) for path in TEMPLATES if marks(path)] == []


def test_scripts_are_small_and_without_globals() -> None:
    for path in (ROOT / "static" / "js").rglob("*.js"):
        text = path.read_text()
        assert len(text.splitlines()) < 150, path
        assert "eval(" not in text, path
        assert "innerHTML" not in text, path


def test_scripts_import_what_is_there() -> None:
    for path in (ROOT / "static" / "js").rglob("*.js"):
        for name in re.findall(r'from "(\.[^"]+)"', path.read_text()):
            assert (path.parent / name).is_file(), f"{path} imports {name}"


def test_no_code_path_fetches_addresses_that_people_typed() -> None:
    """One module opens connections, one asks it, and the addresses in that are two settings. Of a webhook's address one
    more sends, and looks at the setting each time.
    """
    fetchers = re.compile(r"^\s*(?:import|from)\s+(?:urllib\.request|requests|httpx|http\.client|aiohttp)\b", re.M)
    found = [str(path.relative_to(ROOT)) for path in CODE if fetchers.search(path.read_text())]
    assert found == ["assay_site/provider_requests.py", "assess/base/http_json.py"]
    assert "Session" not in (ROOT / found[0]).read_text()  # what allauth's own session sends, it gives to the other
    asking = [path for path in CODE if re.search(r"\b(?:ask_json|Service\()", path.read_text())]
    names = [str(path.relative_to(ROOT)) for path in asking]
    assert names == ["assess/base/http_json.py", "assess/documents/queries/search_services.py"]
    addresses = re.findall(r"address=([^,)]*)", asking[1].read_text())
    assert addresses == ["settings.ASSAY_PYSERINI", "settings.ASSAY_ROUTIR"]
    sending = [path for path in CODE if re.search(r"\bpost_json\(", path.read_text())]
    names = [str(path.relative_to(ROOT)) for path in sending]
    assert names == ["assess/base/http_json.py", "assess/webhooks/domain.py"]
    calls = re.findall(r"(\S.*)\n.*\bpost_json\(", sending[1].read_text())
    assert calls == ["require_allowed(hook.url)  # the setting may be another since"]


def test_nothing_that_git_is_told_to_ignore_is_in_it() -> None:
    """An environment that is a link in a worktree once came in, and took the real one's place."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    assert subprocess.check_output(command, cwd=ROOT, text=True).split() == []
