"""Notices by mail: sent by the worker to who wants them, naming the campaign and nothing else."""

from __future__ import annotations

import time
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused, SMTPServerDisconnected
from threading import Event
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assay_site.metrics import figures
from assess.base import mail_sender
from assess.base.mail_sender import SENDER
from assess.campaigns.activity import record_activity
from assess.campaigns.domain import publish_guideline
from assess.mails.domain import send_notices as post_notices
from assess.mails.domain import want_notices
from assess.mails.queries import NOTICES
from assess.models import Assignment, Campaign, HelpRequest
from tests import factories
from tests.assess.judged_campaign import key
from tests.pages import page_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_mail_waits")]


def send_notices() -> None:
    """Have the notices sent, and wait until they are."""
    post_notices()
    SENDER.submit(int).result()


@pytest.fixture
def all_wanted(
    settings: Any, campaign: Campaign, organiser: User, assessor: User, second_assessor: User, participant: User
) -> None:
    """The site sends mail, and these want all of it."""
    settings.ASSAY_PASSWORD_MAIL = True
    for person in (organiser, assessor, second_assessor, participant):
        EmailAddress.objects.create(user=person, email=f"{person}@example.org", verified=True, primary=True)
        want_notices(actor=person, notices=list(NOTICES))
    send_notices()  # what was before is told to nobody


def sent(mails: list[EmailMessage]) -> dict[str, list[str]]:
    """Who got which sentences since the last look."""
    found = {
        mail.to[0].split("@")[0]: [each[2:] for each in mail.body.splitlines() if each[:2] == "- "] for mail in mails
    }
    mails.clear()
    return found


def test_each_is_told_what_concerns_them_once_and_by_the_worker(
    all_wanted: None, campaign: Campaign, organiser: User, assessor: User, grading: Assignment, mailoutbox: list[Any]
) -> None:
    run = factories.run(campaign, "Harbor1", organiser, team="Harbor")
    asked = HelpRequest.objects.create(assignment=grading, text="Which?", client_key=key("help", 1))
    for action, about in (("assignment.create", grading), ("help.answer", asked), ("run.accept", run)):
        record_activity(actor=organiser, action=action, campaign=campaign, about=about)
    assert mailoutbox == [], "no request sends any"
    send_notices()
    assert "Harbor" not in str([mail.body + mail.subject for mail in mailoutbox])
    assert sent(mailoutbox) == {
        "assessor": [NOTICES["work"], NOTICES["answer"]],
        "participant": [NOTICES["run"]],
    }
    publish_guideline(actor=organiser, campaign=campaign, text="Judge with more care.")
    send_notices()
    assert sent(mailoutbox) == {name: [NOTICES["guidelines"]] for name in ("assessor", "second_assessor")}
    send_notices()
    assert mailoutbox == []


def test_a_deadline_that_is_near_is_told_once(all_wanted: None, campaign: Campaign, mailoutbox: list[Any]) -> None:
    now = timezone.now()
    for due, told in (
        (30, {}),
        (2, {"participant": [NOTICES["deadline"]]}),
        (2, {}),
        (1, {"participant": [NOTICES["deadline"]]}),
    ):
        Campaign.objects.filter(pk=campaign.pk).update(runs_due=now + timedelta(days=due))
        send_notices()
        assert sent(mailoutbox) == told


def test_a_deadline_is_told_once_by_two_workers(all_wanted: None, campaign: Campaign, mailoutbox: list[Any]) -> None:
    send_notices()
    Campaign.objects.filter(pk=campaign.pk).update(runs_due=timezone.now() + timedelta(days=2))
    others = [send_notices]

    def another_first(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE") and "mailedupto" in sql and others:
            others.pop()()  # between what this worker read and what it writes
        return execute(sql, *rest)

    with connection.execute_wrapper(another_first):
        send_notices()
    assert others == []
    assert [mail.to for mail in mailoutbox] == [["participant@example.org"]]


def test_nobody_is_told_who_did_not_ask_or_has_no_address(
    all_wanted: None, campaign: Campaign, organiser: User, assessor: User, second_assessor: User, mailoutbox: list[Any]
) -> None:
    want_notices(actor=assessor, notices=["release"])
    EmailAddress.objects.filter(user=second_assessor).update(verified=False)
    publish_guideline(actor=organiser, campaign=campaign, text="Judge with more care.")
    send_notices()
    assert mailoutbox == []


def test_notices_are_sent_once_the_mail_server_is_back(
    all_wanted: None,
    campaign: Campaign,
    organiser: User,
    settings: Any,
    mailoutbox: list[Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    here = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    mail_sender.SERVER.answer = None
    publish_guideline(actor=organiser, campaign=campaign, text="Judge with more care.")
    send_notices()
    assert (mailoutbox, caplog.text.count("The mail server does not answer, so notices wait: ")) == ([], 1)
    settings.EMAIL_BACKEND, mail_sender.SERVER.answer = here, None
    send_notices()
    assert sent(mailoutbox) == {name: [NOTICES["guidelines"]] for name in ("assessor", "second_assessor")}
    assert mail_sender.mails_lost() == 0


def test_a_mail_server_that_does_not_say_anything_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_sender, "PATIENCE", 0.01)
    is_there = Event()
    SENDER.submit(is_there.wait, 20)
    assert not mail_sender.server_answers()
    is_there.set()
    SENDER.submit(int).result()
    assert mail_sender.server_answers()


class Server:
    """A mail server that raises its error while it has one, and counts how often it was asked."""

    def __init__(self, error: Exception | None) -> None:
        self.error, self.asked = error, 0


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    there, send = Server(ConnectionRefusedError("away")), EmailBackend.send_messages

    def answer(self: EmailBackend, messages: Any) -> int:
        there.asked += 1
        if there.error is not None:
            raise there.error
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", answer)
    return there


def posted(number: int) -> None:
    for each in range(number):
        mail_sender.post(EmailMessage(f"mail {each}", "A link.", None, ["ada@example.org"]))
    SENDER.submit(int).result()


def again() -> None:
    """Try the mails that wait, as if the pause were over."""
    SENDER.submit(mail_sender._send_waiting, 300.0).result()


def test_mails_wait_for_the_server_and_are_sent_in_order(server: Server, mailoutbox: list[Any]) -> None:
    posted(3)
    again()
    assert (server.asked, mailoutbox) == (2, []), "one mail is tried for all"
    server.error = None
    again()
    assert [mail.subject for mail in mailoutbox] == ["mail 0", "mail 1", "mail 2"]
    assert (mail_sender.SERVER.waiting, mail_sender.mails_lost()) == ([], 0)


def test_a_mail_that_should_come_again_keeps_no_other_waiting(server: Server, mailoutbox: list[Any]) -> None:
    server.error = SMTPDataError(451, b"come again")
    posted(1)
    server.error = None
    posted(1)
    assert len(mailoutbox) == 1
    again()
    assert len(mailoutbox) == 2


def test_mails_are_tried_again_by_themselves(
    server: Server, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_sender, "FIRST_PAUSE", 0.1)
    posted(1)
    server.error, until = None, time.monotonic() + 20
    while not mailoutbox and time.monotonic() < until:
        time.sleep(0.02)
    assert len(mailoutbox) == 1


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (SMTPRecipientsRefused({"ada@example.org": (550, b"no such mailbox")}), 1),
        (SMTPRecipientsRefused({"ada@example.org": (450, b"come again")}), 0),
        (SMTPSenderRefused(553, b"not you", "assay@localhost"), 1),
        (SMTPDataError(451, b"come again"), 0),
        (SMTPServerDisconnected("gone"), 0),
        (UnicodeError("no such address"), 1),
    ],
)
def test_what_a_server_refuses_for_good_is_lost_and_counted(server: Server, error: Exception, lost: int) -> None:
    server.error = error
    posted(1)
    assert (mail_sender.mails_lost(), len(mail_sender.SERVER.waiting)) == (lost, 1 - lost)
    assert f"assay_mails_lost_total {float(lost)}" in figures().decode()


def test_mails_are_kept_for_an_hour_and_a_thousand_at_most(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_sender, "MOST", 2)
    posted(3)
    assert (mail_sender.mails_lost(), len(mail_sender.SERVER.waiting)) == (1, 2)
    later = time.monotonic() + 3601
    monkeypatch.setattr(mail_sender.time, "monotonic", lambda: later)
    again()
    assert mail_sender.mails_lost() == 3


def test_an_address_that_is_refused_and_a_title_of_two_lines_keep_it_from_nobody_else(
    all_wanted: None, campaign: Campaign, organiser: User, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    send = EmailBackend.send_messages

    def refuse_the_first(self: EmailBackend, messages: Any) -> int:
        if messages[0].to == ["assessor@example.org"]:
            raise SMTPRecipientsRefused({"assessor@example.org": (550, b"no such mailbox")})
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", refuse_the_first)
    Campaign.objects.filter(pk=campaign.pk).update(title="Two\n- lines")
    publish_guideline(actor=organiser, campaign=campaign, text="Judge with more care.")
    send_notices()
    assert [mail.subject for mail in mailoutbox] == ["Assay: Two - lines"]
    assert sent(mailoutbox) == {"second_assessor": [NOTICES["guidelines"]]}


def test_they_are_chosen_on_ones_profile_where_the_site_sends_mail(
    settings: Any, assessor: User, client: Client
) -> None:
    client.force_login(assessor)
    page = reverse("mail-notices")
    assert client.get(page).status_code == 404
    settings.ASSAY_PASSWORD_MAIL = True
    assert "You have no confirmed mail address" in page_of(client.get(page))
    assert client.post(page, {"notices": ["work", "release"]}).status_code == 302
    assert page_of(client.get(page)).count(" checked") >= 2
    assert client.post(page, {"notices": ["all"]}).status_code == 422
