"""Static files that `serve` collects: names with a digest, compressed, kept for a year; others from where they are."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.templatetags.static import static
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from assay_site.static_files import HashedFiles, collect_static_files


@pytest.fixture
def source(settings: Any, tmp_path: Path) -> Path:
    """A folder of files that may be collected: the site's own modules and stylesheets."""
    for name in ("js", "css"):
        shutil.copytree(settings.BASE_DIR / "static" / name, tmp_path / "source" / name)
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "assay_site.static_files.HashedFiles"}}
    return tmp_path / "source"


@pytest.fixture
def collected(source: Path, settings: Any) -> Path:
    collect_static_files()
    return Path(settings.STATIC_ROOT)


def answer(address: str) -> Any:
    middleware = WhiteNoiseMiddleware(lambda request: HttpResponse(status=404))
    return middleware(RequestFactory().get(address, headers={"Accept-Encoding": "gzip, br"}))


def test_collected_files_are_compressed_and_kept_for_a_year(collected: Path, settings: Any) -> None:
    address = static("css/base.css")
    assert re.fullmatch(r"/static/css/base\.[0-9a-f]{12}\.css", address)
    found = answer(address)
    assert (found.status_code, found["Content-Encoding"]) == (200, "br")
    assert "immutable" in found["Cache-Control"]
    assert int(re.findall(r"max-age=(\d+)", found["Cache-Control"])[0]) >= 365 * 24 * 3600
    assert static("css/nowhere.css") == "/static/css/nowhere.css", "it keeps the name by which it is served"
    by_name = answer("/static/css/base.css")
    assert (by_name.status_code, "immutable" in by_name["Cache-Control"]) == (200, False)


def test_a_server_that_runs_keeps_its_files_while_another_collects(
    collected: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, running = static("css/base.css"), WhiteNoiseMiddleware(lambda request: HttpResponse(status=404))
    collect, seen = HashedFiles.post_process, []

    def meanwhile(self: Any, *args: Any, **options: Any) -> Any:
        seen.append(running(RequestFactory().get(address)).status_code)
        return collect(self, *args, **options)

    monkeypatch.setattr(HashedFiles, "post_process", meanwhile)
    collect_static_files()
    assert (seen, running(RequestFactory().get(address)).status_code) == ([200], 200)
    assert [path.name for path in collected.parent.glob(".assay-*")] == []


def test_modules_import_each_other_by_the_new_names(collected: Path) -> None:
    script = (collected / static("js/web/site.js").removeprefix("/static/")).read_text()
    imported = re.findall(r'(?:from|import) ?"(\./[^"]+|\.\./[^"]+)"', script)
    assert imported
    for name in imported:
        assert re.search(r"\.[0-9a-f]{12}\.js$", name), name
        assert (collected / "js/web" / name).is_file()


def test_a_site_starts_without_them_if_they_can_not_be_collected(
    collected: Path, source: Path, caplog: pytest.LogCaptureFixture
) -> None:
    address, running = static("css/base.css"), WhiteNoiseMiddleware(lambda request: HttpResponse(status=404))
    (source / "css" / "broken.css").write_text("a { background: url(nowhere.png) }")
    collect_static_files()
    assert "served from where they are" in caplog.text
    assert HashedFiles().url("css/base.css") == "/static/css/base.css"
    assert running(RequestFactory().get(address)).status_code == 200, "another server goes on with the old ones"
