"""Errors are reported where one setting says; without it, nothing of Sentry is loaded."""

from __future__ import annotations

import runpy
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from assay_site.environment import BadSetting
from tests.guides import ROOT

SETTINGS = str(ROOT / "assay_site" / "settings.py")
ADDRESS = "https://a-key@sentry.example.org/1"


def test_its_address_begins_reports_without_names_and_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[dict[str, Any]] = []
    monkeypatch.setitem(sys.modules, "sentry_sdk", SimpleNamespace(init=lambda **options: begun.append(options)))
    monkeypatch.setenv("ASSAY_SENTRY_DSN", ADDRESS)
    assert runpy.run_path(SETTINGS)["ASSAY_SENTRY_DSN"] == ADDRESS
    (options,) = begun
    assert (options["dsn"], options["send_default_pii"], options["max_request_body_size"]) == (ADDRESS, False, "never")
    assert options["include_local_variables"] is False
    link = "http://localhost/c/x/invitation/s3cret/"
    request = {"url": link, "query_string": "key=s3cret", "headers": {"Referer": link}}
    sent = options["before_send"](
        {"request": request, "breadcrumbs": [{"message": f"GET {link}"}], "level": "error"}, {}
    )
    assert "s3cret" not in str(sent)
    assert (sent["level"], set(sent["request"])) == ("error", {"url", "headers"})


def test_without_the_package_the_setting_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    monkeypatch.setenv("ASSAY_SENTRY_DSN", ADDRESS)
    with pytest.raises(BadSetting, match="pip install sentry-sdk") as refused:
        runpy.run_path(SETTINGS)
    assert "a-key" not in str(refused.value)


def test_without_the_setting_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    monkeypatch.delenv("ASSAY_SENTRY_DSN", raising=False)
    assert runpy.run_path(SETTINGS)["ASSAY_SENTRY_DSN"] == ""
