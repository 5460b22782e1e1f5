"""What somebody with bad intentions tries: hosts, headers, bodies, addresses, names that are markup, guessing."""

from __future__ import annotations

import io
import logging
import re

import pytest
from axes.models import AccessAttempt
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import get_resolver, reverse
from pytest_django import Settings

from assay_site.logs import JsonFormatter, PlainFormatter
from assess.admin import ReadOnlyAdmin
from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Campaign, Document, HelpRequest, Item, ListedDocument, Membership, Run, Topic
from assess.runs.domain import checking as runs
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db

MARKUP = '"><img src=x onerror=alert(1)>{{7*7}}{% now "Y" %}\'\u202egpj.exe'
POLICY = "frame-ancestors 'none'"


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/login/", 200),
        ("/", 302),
        ("/no/such/page/", 404),
        ("/c/no-such-campaign/work/", 302),
        ("/login/%00", 404),
        ("/static/css/base.css", 200),
        ("/api/v1/campaigns/", 401),
        ("/admin/", 302),
    ],
)
def test_every_answer_has_the_policy(client: Client, address: str, status: int) -> None:
    response = client.get(address)
    assert response.status_code == status
    assert POLICY in response["Content-Security-Policy"]
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_policy_is_of_the_settings_as_they_are(settings: Settings) -> None:
    client = Client()
    assert POLICY in client.get("/login/")["Content-Security-Policy"]
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"frame-src": ["https://documents.example"]}}
    policy = client.get("/login/")["Content-Security-Policy"]
    assert "frame-src https://documents.example" in policy and POLICY not in policy


def test_crash_has_the_policy_and_says_nothing(organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("secret of the machine")

    monkeypatch.setattr("assess.work.views.own_work.places_of", crash)
    client = Client(raise_request_exception=False)
    client.force_login(organiser)
    response = client.get("/")
    assert response.status_code == 500
    assert POLICY in response["Content-Security-Policy"]
    assert b"secret" not in response.content


def test_unknown_host_is_refused(client: Client) -> None:
    response = client.get("/login/", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert POLICY in response["Content-Security-Policy"]


@pytest.mark.parametrize("port", ["", ":8443"])
@pytest.mark.parametrize(
    "host", ["documents.example", "DOCUMENTS.example", "documents.example.", "documents.example:8000"]
)
def test_documents_host_is_known_however_it_is_written(
    client: Client, settings: Settings, host: str, port: str
) -> None:
    """Also where a proxy leaves out the port, and where the server is called past it, at a port of its own."""
    settings.ASSAY_DOCUMENT_ORIGIN = f"https://documents.example{port}"
    settings.ALLOWED_HOSTS = ["documents.example", "testserver"]
    response = client.get("/login/", headers={"host": host})
    assert response.status_code == 404
    assert client.get("/login/").status_code == 200
    assert POLICY in response["Content-Security-Policy"]


@pytest.mark.parametrize(
    "next_page", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example"]
)
def test_login_never_leads_elsewhere(client: Client, organiser: User, next_page: str) -> None:
    said = {"username": "organiser", "password": factories.PASSWORD, "next": next_page}
    response = client.post(reverse("login"), said)
    assert (response.status_code, response["Location"]) == (302, "/")


def test_login_gives_a_new_session(client: Client, organiser: User) -> None:
    session = client.session
    session["planted"] = True
    session.save()
    client.cookies["sessionid"] = session.session_key
    client.post(reverse("login"), {"username": "organiser", "password": factories.PASSWORD})
    assert client.cookies["sessionid"].value != session.session_key
    assert client.cookies["sessionid"]["httponly"]


def test_guessing_passwords_is_stopped(client: Client, organiser: User, settings: Settings) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        client.post(reverse("login"), {"username": "organiser", "password": "guess"})
    right = client.post(reverse("login"), {"username": "organiser", "password": factories.PASSWORD})
    assert right.status_code == 429
    assert "sessionid" not in client.cookies
    there = client.post("/admin/login/", {"username": "organiser", "password": factories.PASSWORD})
    assert there.status_code == 429


@pytest.mark.parametrize("address", ["/login/", "/admin/login/"])
def test_a_name_longer_than_any_is_no_try(client: Client, address: str) -> None:
    refused = client.post(address, {"username": "x" * 300, "password": "guess"})
    assert (refused.status_code, AccessAttempt.objects.count()) == (200, 0)
    assert "at most 150 characters" in page_of(refused)


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_body_beyond_the_limit_is_refused_unread(settings: Settings, content_type: str) -> None:
    settings.ASSAY_UPLOAD_MB = 1
    size = str(18 << 20)
    response = Client().generic("POST", reverse("login"), b"", content_type=content_type, CONTENT_LENGTH=size)
    assert response.status_code == 413


def test_no_form_is_taken_without_its_token(organiser: User, campaign: Campaign) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(organiser)
    examples = {"slug": "opinions", "number": "1.1", "docno": "D1", "task": "rigid", "name": "x", "token": "x"}
    statuses = {}
    for name, parameters in addresses().items():
        counted = {"number": 1} if name.startswith("topic-draft") else {}  # topics have names, their drafts numbers
        known: dict[str, object] = {**examples, **counted}
        address = reverse(name, kwargs={each: known.get(each, 1) for each in parameters})
        statuses[name] = client.post(address).status_code
    assert len(statuses) > 50
    assert {name: status for name, status in statuses.items() if status not in (403, 405)} == {}


def addresses() -> dict[str, list[str]]:
    """The parameters of every page of the site by name, those of the API and the admin site left out."""
    patterns = get_resolver().reverse_dict
    names = [name for name in patterns if isinstance(name, str) and not name.startswith("api-")]
    return {name: list(patterns[name][0][0][1]) for name in names}


def test_pages_show_hostile_names_as_text(
    campaign: Campaign, organiser: User, assessor: User, participant: User, rigid: Topic
) -> None:
    """Team, tag, file name, description, docno, title, answer, note: all from outside."""
    docno = "D-" + MARKUP.replace("/", "_")
    Membership.objects.filter(user=participant).update(team=MARKUP[:50])
    run = factories.run(campaign, "Harbor1", participant, team=MARKUP[:50])
    Run.objects.filter(pk=run.pk).update(
        tag=MARKUP,
        file_name=MARKUP,
        description=MARKUP,
        report=[{"where": MARKUP, "severity": "error", "code": MARKUP, "message": MARKUP, "excerpt": MARKUP}],
    )
    Document.objects.filter(pk=factories.document(campaign, docno, MARKUP).pk).update(
        title=MARKUP, url=f"javascript:{MARKUP}", source_file=MARKUP, note=MARKUP
    )
    Topic.objects.filter(campaign=campaign).update(text=MARKUP)
    ListedDocument.objects.create(topic=rigid, rank=1, docno=docno, score=1)
    (item,) = factories.pooled(rigid, [MARKUP])
    Item.objects.filter(pk=item.pk).update(docno=docno, document=Document.objects.get(docno=docno))
    factories.response(run, rigid, [item])
    work = factories.assignment(rigid, "instances", assessor)
    asked = HelpRequest.objects.create(assignment=work, item=item, text=MARKUP, answer=MARKUP, client_key="0" * 32)
    here = ["opinions"]
    pages = {
        organiser: [
            *(reverse(name, args=here) for name in ("overview", "topics", "documents", "runs", "pool", "people")),
            *(reverse(name, args=here) for name in ("progress", "questions", "assignments", "activity")),
            reverse("run", args=[*here, run.pk]),
            reverse("question", args=[*here, asked.pk]),
            reverse("topic", args=[*here, "1.1"]),
        ],
        assessor: [
            reverse("work", args=here),
            reverse("workbench", args=[*here, work.pk]),
            reverse("search", args=here) + "?q=onerror",
            reverse("document-list", args=[*here, "1.1"]),
            *(reverse("document", args=[*here, docno]) + f"?view={view}" for view in ("page", "text", "source")),
        ],
        participant: [reverse("runs", args=here), reverse("run", args=[*here, run.pk])],
    }
    for person, listed in pages.items():
        client = signed_in(person)
        for address in listed:
            response = client.get(address)
            assert response.status_code == 200, address
            shown = response.content.decode()
            assert "<img src=x" not in shown, address
            assert "49" not in re.findall(r"onerror=alert\(1\)&gt;(\w+)", shown), address
            assert not re.search(r'(?:href|src)="javascript:', shown), address


@pytest.mark.parametrize("name", ['a"b.txt', "a\r\nSet-Cookie: x=1.txt", "../../etc/passwd", "\u202etxt.exe", "é.txt"])
def test_download_keeps_a_hostile_file_name_in_its_header(
    campaign: Campaign, organiser: User, settings: Settings, tmp_path, name: str
) -> None:
    settings.DATA_DIR = tmp_path
    client = signed_in(organiser)
    form = {"team": "Harbor", "priority": "1", "automatic": "yes", "field-documents": "collection"}
    client.post(reverse("run-new", args=["opinions"]), {**form, "file": SimpleUploadedFile(name, b"1.1 Harbor1 x\n")})
    run = Run.objects.get()
    response = client.get(reverse("run-file", args=["opinions", run.pk]))
    assert response["Content-Disposition"].startswith("attachment")
    assert not re.search(r"[\r\n\u202e/]", run.file_name)
    assert "Set-Cookie" not in response.headers
    assert response["X-Content-Type-Options"] == "nosniff"


def test_run_far_too_large_is_refused_before_it_is_read(
    campaign: Campaign, participant: User, settings: Settings, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(runs, "RUN_LIMIT", 1000)
    Campaign.objects.update(state="setup")
    form = {"team": "Harbor", "priority": "1", "automatic": "yes", "field-documents": "collection"}
    for asked in ({"check": "1"}, {}):
        file = SimpleUploadedFile("run.txt", b"1.1 Harbor1 D1 blue\n" * 100)
        response = signed_in(participant).post(reverse("run-new", args=["opinions"]), {**form, **asked, "file": file})
        assert response.status_code == 422
        assert "larger than" in page_of(response)
    assert not Run.objects.exists()


def test_work_of_another_campaign_is_out_of_reach(
    campaign: Campaign, organiser: User, assessor: User, grading: Assignment, rigid_items: list[Item], participant: User
) -> None:
    """Right ids under a campaign in which one has a seat, but to which they do not belong."""
    other = factories.campaign(organiser=factories.user("other"), slug="other")
    mine = factories.user("mine")
    for role in ("organiser", "assessor"):
        Membership.objects.create(campaign=other, user=mine, role=role)
    run = factories.run(campaign, "Harbor1", participant)
    client = signed_in(mine)
    pk, item = grading.pk, handle_of(grading, rigid_items[0].pk)
    tried = {
        "workbench": [pk],
        "work-item": [pk, item],
        "work-lines": [pk],
        "matches-response": [pk],
        "run": [run.pk],
        "run-file": [run.pk],
        "run-report": [run.pk],
        "run-withdraw": [run.pk],
        "assignment-return": [pk],
    }
    assert {name: client.get(reverse(name, args=["other", *ids])).status_code for name, ids in tried.items()} == (
        dict.fromkeys(tried, 404)
    )
    for name in ("judge", "work-done", "work-ask", "work-return"):
        assert client.post(reverse(name, args=["other", pk]), {"item": item}).status_code == 404


def test_admin_shows_campaigns_and_changes_none(organiser: User, campaign: Campaign) -> None:
    staff = factories.user("staff", is_staff=True)
    assert signed_in(staff).get("/admin/").status_code == 302
    boss = User.objects.create_superuser("boss", password=factories.PASSWORD)
    ours = [model for model in apps.get_models() if model._meta.app_label in ("assess", "nuggets")]
    registered = {model: admin.site._registry[model] for model in ours if model in admin.site._registry}
    assert all(isinstance(each, ReadOnlyAdmin) for each in registered.values())
    client = signed_in(boss)
    for model in registered:
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert client.get(reverse(f"{place}_changelist")).status_code == 200
        assert client.get(reverse(f"{place}_add")).status_code == 403
    page = reverse("admin:assess_campaign_change", args=[campaign.pk])
    assert client.get(page).status_code == 200
    assert client.post(page, {"title": "Changed"}).status_code == 403


def test_what_is_judged_is_kept_by_no_proxy_and_no_browser(campaign: Campaign, client: Client, organiser: User) -> None:
    client.force_login(organiser)
    for path in ("/", f"/c/{campaign.slug}/", f"/c/{campaign.slug}/runs/", "/api/v1/campaigns/", "/nowhere/"):
        assert client.get(path).headers["Cache-Control"] == "private, no-store", path
    assert "no-store" not in client.get("/static/css/desk.css").headers["Cache-Control"]


@pytest.mark.parametrize("lines", [PlainFormatter, JsonFormatter])
def test_a_wrong_host_is_one_line_of_the_log(lines: type[logging.Formatter], client: Client) -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(lines())
    logger = logging.getLogger("django.security")
    logger.addHandler(handler)
    try:
        assert client.get("/login/", headers={"Host": "evil\x1b[31m.example"}).status_code == 400
    finally:
        logger.removeHandler(handler)
    assert out.getvalue().count("\n") == 1
    assert "evil" in out.getvalue()
    assert "\x1b" not in out.getvalue()
