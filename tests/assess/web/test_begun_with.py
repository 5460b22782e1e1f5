"""A process says which code it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from assess.base import process


def forget() -> None:
    process._digest_of.cache_clear()
    process._version_of.cache_clear()


@pytest.fixture
def _forgotten() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.mark.usefixtures("_forgotten")
def test_a_process_is_of_the_code_that_it_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """An update may put other modules into the same place, while the old ones still compute."""
    apps.get_app_config("assess").ready()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda path: b"updated in place")
        begun = process.site_version(), process.code_version()
        forget()
        assert (process.site_version(), process.code_version()) != begun
    forget()
    assert (process.site_version(), process.code_version()) == begun
