"""The calls that docs/api.md shows do what it says, with a token and nothing else."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.models import Campaign, Run
from tests import factories

pytestmark = pytest.mark.django_db
GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text()
RUN = b"1.1 Harbor1 D1 blue\n1.2 Harbor1 D1 They are light.\n"


def send(line: str, *, token: str, slug: str) -> tuple[int, dict]:
    """Do what a line of curl does."""
    words = shlex.split(line.strip().replace("$TOKEN", token).replace("$SITE", "").replace("$CAMPAIGN", slug))
    assert (words[0], words[1]) == ("curl", "-H")
    assert re.fullmatch(r"Authorization: Token \w+", words[2])
    form = [pair.split("=", 1) for flag, pair in zip(words[3:-1:2], words[4:-1:2], strict=True) if flag == "-F"]
    data = {key: SimpleUploadedFile(value[1:], RUN) if value.startswith("@") else value for key, value in form}
    client, headers = Client(), {"authorization": words[2].partition(": ")[2]}
    answer = client.post(words[-1], data, headers=headers) if form else client.get(words[-1], headers=headers)
    return answer.status_code, answer.json()


def test_the_three_calls_of_the_guide(campaign: Campaign, organiser: User, settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    token = factories.api_token(organiser)
    listed, checked, submitted = [
        send(line, token=token, slug=campaign.slug) for line in re.findall(r"^    curl .*$", GUIDE, flags=re.MULTILINE)
    ]
    assert (listed[0], [each["slug"] for each in listed[1]["results"]]) == (200, ["opinions"])
    assert (checked[0], checked[1]["errors"]) == (200, 0)
    assert (submitted[0], submitted[1]["state"], submitted[1]["answered"]) == (201, "accepted", 2)
    assert Run.objects.get().fields == {"documents": "collection"}


def test_a_revoked_token_opens_nothing(organiser: User) -> None:
    token = {"authorization": f"Token {factories.api_token(organiser)}"}
    client = Client()
    assert client.delete(f"/api/v1/tokens/{organiser.api_tokens.get().pk}/", headers=token).status_code == 204
    assert client.get("/api/v1/campaigns/", headers=token).status_code == 401
