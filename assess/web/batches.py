"""Many entries in one API call: each is saved or refused by itself, as the call for a single entry would do."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError, InterfaceError
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.base.errors import Refused
from assess.base.outages import Outage, outage_of
from assess.web.api import ProblemOut, checked, checked_shape
from assess.web.problems import problem_of

logger = logging.getLogger(__name__)

MOST_ENTRIES = 500
"""The most entries of one call: as many as a page of a list may have. Its bytes are bounded as those of any call."""
TOO_MANY = f"A call takes at most {MOST_ENTRIES} entries. Send the others in further calls."


class EntriesIn(serializers.Serializer[Any]):
    """Several entries. Each may contain anything here, and is checked by itself afterwards."""

    entries = serializers.ListField(
        child=serializers.DictField(), min_length=1, max_length=MOST_ENTRIES, error_messages={"max_length": TOO_MANY}
    )


class AnswerOut(serializers.Serializer[Any]):
    """The outcome of one entry: 201 and what was `saved`, or the status of a refusal and its `problem`."""

    status = serializers.IntegerField()
    problem = ProblemOut(allow_null=True)


def answer_each(
    request: Request, entry: type[serializers.Serializer[Any]], save: Callable[[dict[str, Any]], Any]
) -> Response:
    """Return one answer for each entry of a call, in order.

    ``save`` does what the call for a single entry does, in a transaction of its own, and returns that call's answer. If
    the site can't continue for a while, the remaining entries are refused with that problem, without being tried.
    """
    answers: list[dict[str, Any]] = []
    outage: Outage | None = None
    for sent in checked(EntriesIn, request)["entries"]:
        try:
            if outage is not None:
                raise outage
            saved = save(checked_shape(entry, sent))
        except (Refused, DatabaseError, InterfaceError, OSError) as error:
            outage = outage_of(error)
            refused = outage or error
            if not isinstance(refused, Refused):
                raise
            answers.append({"status": refused.status, "saved": None, "problem": problem_of(refused)})
        else:
            answers.append({"status": status.HTTP_201_CREATED, "saved": saved, "problem": None})
    if outage is not None:
        logger.warning("%s: %s %s", request.path, outage.logged, outage.details)
    return Response({"answers": answers})
