"""The first campaign of the guide, followed to the letter, from its files to a release that verifies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scoring.__main__ import main as scoring
from tests.first_campaign import GUIDE, commands, follow_guide
from tests.guides import text_of

pytestmark = pytest.mark.django_db


def test_the_first_campaign_goes_as_the_guide_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    looked: list[str] = []
    reader = follow_guide(monkeypatch, lambda name, reader: looked.append(name))
    assert sorted(looked) == sorted(re.findall(r"\(pictures/([\w-]+)\.png\)", text_of(GUIDE)))
    monkeypatch.chdir(tmp_path)
    Path("repairing-1.zip").write_bytes(reader.content)
    (verify,) = [words for words in commands() if "verify" in words]
    assert scoring([*verify[3:-1], "repairing-1.zip"]) == 0
    capsys.readouterr()
