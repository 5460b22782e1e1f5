"""The site's addresses, and one of a plain Django view that does one INSERT, for comparison."""

from __future__ import annotations

import json

from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from assay_site import urls


@csrf_exempt
def insert(request: HttpRequest) -> JsonResponse:
    """Store a row of an item and a value without checking any rule, and answer 201."""
    body = json.loads(request.body)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO bench_plain (item, value, client_key) VALUES (%s, %s, %s)",
            [body["item"], body["value"], body["client_key"]],
        )
    return JsonResponse({"saved": True}, status=201)


urlpatterns = [*urls.urlpatterns, path("plain/", insert)]
