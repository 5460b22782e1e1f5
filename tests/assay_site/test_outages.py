"""The page of an outage, in the language of whom it meets; the log is in English."""

from __future__ import annotations

import json

import pytest
from django.db import transaction
from django.test import RequestFactory
from django.utils.translation import override

from assay_site.logs import JsonFormatter, PlainFormatter
from assay_site.outages import answer_outage
from assess.base.outages import Locked
from tests.pages import page_of


def test_an_outage_is_told_in_the_language_of_whom_it_meets(rf: RequestFactory) -> None:
    with override("de"):
        outage = Locked()
        page = page_of(answer_outage(rf.get("/"), outage))
    assert '<html lang="de">' in page
    assert "Die Website kann gerade nicht antworten" in page
    assert "Die Website ist mit anderem beschäftigt und kam nicht rechtzeitig dazu. Es wurde nichts davon gesp" in page
    assert outage.logged == "The site is busy with other work and could not do this in time."


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("error", "is_bug"), [(Locked(), False), (ValueError("unforeseen"), True)])
def test_an_outage_after_a_commit_is_a_line_of_the_log_and_a_bug_has_its_traceback(
    error: Exception, is_bug: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def look_again() -> None:
        raise error

    transaction.on_commit(look_again, robust=True)
    (record,) = caplog.records
    line = PlainFormatter().format(record)
    assert str(error) in line
    assert ("Traceback" in line, "error" in json.loads(JsonFormatter().format(record))) == (is_bug, is_bug)
