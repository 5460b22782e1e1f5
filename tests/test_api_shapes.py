"""What holds every answer of the API to its description says so where an answer is otherwise."""

from __future__ import annotations

import pytest
from django.http import HttpResponse, JsonResponse

from assess.web.problems import PROBLEM_TYPE, answer_problem, problem_of_status
from tests.api_shapes import faults

TOPIC = "/api/v1/campaigns/bees/topics/a/b/"
GOOD = {"number": "a/b", "task": "", "parent": None, "text": "bees"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (JsonResponse(GOOD | {"run": "maple"}), "'run' was unexpected"),
        (JsonResponse({"number": "a/b"}), "is a required property"),
        (JsonResponse(GOOD | {"parent": 1}), "parent"),
        (JsonResponse([GOOD], safe=False), "is not of type"),
        (JsonResponse(GOOD, status=201), "201 is not described"),
        (HttpResponse("bees", content_type="text/plain"), "text/plain is not described"),
        (HttpResponse("<h1>none</h1>", status=404), "text/html is not described"),
        (JsonResponse({"message": "none"}, status=404, content_type=PROBLEM_TYPE), "is a required property"),
    ],
)
def test_an_answer_that_is_not_as_described_is_found(answer: HttpResponse, words: str) -> None:
    assert any(words in each for each in faults("GET", TOPIC, answer))


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (TOPIC, JsonResponse(GOOD)),
        (TOPIC, JsonResponse(GOOD | {"fields": {"narrative": "any"}})),
        (TOPIC, answer_problem(problem_of_status(404))),
        ("/api/v1/nothing/", answer_problem(problem_of_status(404))),
    ],
)
def test_one_that_is_passes(path: str, answer: HttpResponse) -> None:
    assert faults("GET", path, answer) == []
