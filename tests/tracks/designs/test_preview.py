"""`design preview`: the bench with the organiser's own files."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from tests.tracks.designs.campaigns import ADHOC, DESIGNS
from tracks.__main__ import main

USEFUL = DESIGNS / "relevance-and-usefulness.toml"


@pytest.mark.django_db(transaction=True)
def test_the_bench_of_the_design_is_ready_to_be_judged(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    said = StringIO()
    call_command("preview_design", str(USEFUL), str(ADHOC), "--no-serve", stdout=said, stderr=StringIO())
    address = said.getvalue().split("http://127.0.0.1:8010")[1].split()[0]
    client.force_login(User.objects.get(username="assessor"))
    page = client.get(address).content.decode()
    assert "How useful would it be" in page
    with pytest.raises(CommandError, match="This site has campaigns"):
        call_command("preview_design", str(USEFUL), str(ADHOC), "--no-serve", stdout=said)


def test_a_design_with_faults_or_without_data_is_not_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.toml"
    path.write_text("design = 9")
    assert main(["design", "preview", str(path), "--data", str(ADHOC)]) == 1
    assert "design is one of 1, not 9." in capsys.readouterr().out
    assert main(["design", "preview", str(USEFUL), "--data", str(tmp_path / "none")]) == 2
    assert "There is no folder" in capsys.readouterr().err
