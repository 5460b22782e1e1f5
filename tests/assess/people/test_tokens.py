"""Tokens of the API: several an account, with scopes and an end, shown once, and each use on record."""

from __future__ import annotations

import io
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assay_site.api_urls import urlpatterns
from assess.assignments.queries.work_items import handle_of
from assess.models import Activity, ApiToken, Assignment, Campaign, Item, Judgment
from assess.people.domain.tokens import TOKENS_LIMIT, create_token
from assess.web.scopes import SCOPES
from assess.web.strict_calls import StrictCalls
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db
LIST = "/api/v1/tokens/"


def program(text: str) -> Client:
    return Client(headers={"Authorization": f"Token {text}"})


def test_tokens_are_made_shown_once_listed_and_revoked_on_a_page(organiser: User, client: Client) -> None:
    client.force_login(organiser)
    page = reverse("tokens")
    assert "No program can log in as you." in page_of(client.get(page))
    for name in ("nightly", "laptop"):
        made = page_of(client.post(page, {"name": name, "scopes": ["read", "judge"], "days": "30"}))
        shown = re.search(r'id="new-token">(assay_[0-9a-f]{40})<', made)
        assert shown is not None
        assert shown[1] not in page_of(client.get(page))
        assert program(shown[1]).get("/api/v1/campaigns/").status_code == 200
    listed = page_of(client.get(page))
    assert "nightly" in listed and "laptop" in listed and "read, judge" in listed
    assert shown[1] not in str(list(ApiToken.objects.values())) + str(list(Activity.objects.values()))
    client.post(reverse("token-revoke", args=[ApiToken.objects.get(name="laptop").pk]))
    assert program(shown[1]).get("/api/v1/campaigns/").status_code == 401
    acts = Activity.objects.order_by("id").values_list("action", "object_id")
    nightly, laptop = (str(ApiToken.objects.get(name=name).pk) for name in ("nightly", "laptop"))
    each = [(f"token.{act}", pk) for pk in (nightly, laptop) for act in ("create", "use")]
    assert list(acts) == [*each, ("token.revoke", laptop)]


def test_a_form_without_a_name_or_a_scope_makes_none(organiser: User, client: Client) -> None:
    client.force_login(organiser)
    answer = client.post(reverse("tokens"), {"name": " ", "days": "30"})
    assert answer.status_code == 422
    assert "Write what the token is for." in page_of(answer) and "Choose at least one." in page_of(answer)
    assert client.post(reverse("tokens"), {"name": "x", "scopes": ["all"], "days": "30"}).status_code == 422
    assert not ApiToken.objects.exists()


def test_a_token_does_what_its_scopes_say_and_a_refusal_names_the_scope(
    campaign: Campaign, assessor: User, organiser: User, grading: Assignment, rigid_items: list[Item]
) -> None:
    inside = f"/api/v1/campaigns/{campaign.slug}/"
    judge = f"{inside}assignments/{grading.pk}/judgments/"
    grade = {"item": handle_of(grading, rigid_items[0].pk), "criterion": "correctness", "value": 1}

    def judged(by: Client) -> tuple[int, str]:
        answer = by.post(judge, {**grade, "client_key": str(uuid4())}, content_type="application/json")
        return answer.status_code, answer.json().get("code", "")

    reading, judging = (program(factories.api_token(assessor, scope)) for scope in ("read", "judge"))
    assert judged(reading) == (403, "missing-scope")
    assert not Judgment.objects.exists()
    assert judged(judging) == (201, "")
    assert reading.get(inside).status_code == 200
    refused = judging.get(inside)
    assert refused.json()["code"] == "missing-scope"
    assert refused.json()["detail"] == (
        "This call needs the scope “read”, and the token has: judge. Make a token with it on your profile."
    )
    narrow, whole = (program(factories.api_token(organiser, each)) for each in ("read judge submit", "organise"))
    note = {"text": "Judge with more care."}
    assert narrow.post(f"{inside}guidelines/", note, content_type="application/json").json()["code"] == "missing-scope"
    assert whole.post(f"{inside}guidelines/", note, content_type="application/json").status_code == 201
    assert Activity.objects.get(action="guideline.publish").token == ApiToken.objects.get(scopes="organise").pk


def test_no_call_of_the_api_goes_without_looking_at_scopes() -> None:
    views = {name: getattr(each.callback, "cls", None) for each in urlpatterns if (name := each.name) != "api-schema"}
    assert len(views) > 100
    assert {name for name, view in views.items() if not issubclass(view, StrictCalls)} == set()
    named = {scope for view in views.values() for scopes in (view.scope, *view.scopes.values()) for scope in scopes}
    assert named == set(SCOPES) - {"read"}
    assert {view.__name__ for view in views.values() if not all(hasattr(view, act) for act in view.scopes)} == set()


def test_a_token_ends_with_its_day(organiser: User) -> None:
    token, text = create_token(actor=organiser, name="nightly", scopes=["read"], days=1)
    assert program(text).get(LIST).status_code == 200
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = program(text).get(LIST)
    assert (answer.status_code, answer.json()["detail"]) == (
        401,
        "This token has expired. Make another one on your profile.",
    )


def test_a_token_makes_no_other_and_revokes_itself_alone(organiser: User, assessor: User, client: Client) -> None:
    made = {"name": "nightly", "scopes": ["organise", "read"]}
    by_token = program(factories.api_token(organiser))
    assert by_token.post(LIST, made, content_type="application/json").status_code == 403
    client.force_login(organiser)
    answer = client.post(LIST, made, content_type="application/json")
    assert answer.status_code == 201
    new = answer.json()
    assert (new["scopes"], new["expires_at"]) == (["read", "organise"], None)
    assert [each["name"] for each in by_token.get(LIST).json()["results"]] == ["nightly", "a test"]
    assert by_token.delete(f"{LIST}{new['id']}/").status_code == 403
    other = program(factories.api_token(assessor))
    assert other.delete(f"{LIST}{new['id']}/").status_code == 404, "another's looks like none"
    assert program(new["token"]).delete(f"{LIST}{new['id']}/").status_code == 204
    assert program(new["token"]).get(LIST).status_code == 401


def test_the_use_of_a_token_is_recorded_once_an_hour(organiser: User) -> None:
    token, text = create_token(actor=organiser, name="nightly", scopes=["read"])
    uses = Activity.objects.filter(action="token.use", object_id=str(token.pk), actor=organiser)
    for _ in range(3):
        program(text).get(LIST)
    assert uses.count() == 1
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(hours=2))
    program(text).get(LIST)
    assert uses.count() == 2


def test_an_account_has_so_many_tokens_and_no_more(organiser: User) -> None:
    for number in range(TOKENS_LIMIT):
        ApiToken.objects.create(user=organiser, name="old", scopes="read", sha256=f"{number:064}")
    with pytest.raises(Exception, match=r"You have 50 tokens\. Revoke one"):
        create_token(actor=organiser, name="one more", scopes=["read"])


def test_the_command_makes_lists_and_revokes(organiser: User) -> None:
    def said(*words: str) -> str:
        out = io.StringIO()
        call_command("tokens", "organiser", *words, stdout=out)
        return out.getvalue()

    text = said("--make", "nightly", "--scope", "read", "--days", "90").strip()
    assert program(text).get(LIST).status_code == 200
    (line,) = said().splitlines()[1:]
    pk, name, scopes, *_ = line.split("\t")
    assert (name, scopes) == ("nightly", "read")
    said("--revoke", pk)
    assert program(text).get(LIST).status_code == 401
    with pytest.raises(CommandError, match="it may be revoked"):
        said("--revoke", pk)
    with pytest.raises(CommandError, match=r"“all” is no scope\. Scopes: read, judge, submit, organise, administer\."):
        said("--make", "x", "--scope", "all")
    with pytest.raises(CommandError, match="give --make, too"):
        said("--days", "3")
