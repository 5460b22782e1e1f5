"""The cast, named by role, and what several folders of tests need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, settings

# How long an example takes is the machine's affair, and says nothing of the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what touches the database, by its own mark or by a fixture, so that -m database finds all of it. What is
    slow begins first: at the end, one process would be left alone with it.
    """
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    for item in items:
        takes = {"db", "transactional_db"} & {*getattr(item, "fixturenames", ())}
        if takes or item.get_closest_marker("django_db"):
            item.add_marker("database")


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """A slow hash protects real passwords; here it would take most of the time of making people."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data beside the project. Skipped where it is missing, but never in CI."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI needs the real data in {SHARED}")
        pytest.skip(f"the real data is not in {SHARED}")
    return SHARED


pytest_plugins = [
    "tests.cast",
    "tests.committed",
    "tests.on_postgresql",
    "tests.units",
    "tests.assess.toys",
    "tests.assess.compared",
    "tests.assess.ranked",
    "tests.assess.served",
    "tests.assess.pooling",
    "tests.api_shapes",
    "tests.benches",
    "tests.scoring.release_by_hand",
]
