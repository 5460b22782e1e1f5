"""The view that serves the API's description, which `assay_site.api_schema` makes from the code once in a process."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from assess.base.process import Memory

_made: Memory[tuple[bytes, dict[str, str]]] = Memory(4)
"""The plain answers by content type. They depend only on the code, and making one takes half a second."""


class DescriptionView(SpectacularAPIView):
    """Serves the description of the API to everybody, in the content type that is asked for."""

    def _get_schema_response(self, request: Request) -> HttpResponse:
        make: Any = super()._get_schema_response

        def rendered() -> tuple[bytes, dict[str, str]]:
            answer: Any = make(request)
            answer.accepted_renderer = request.accepted_renderer
            answer.accepted_media_type = request.accepted_media_type
            answer.renderer_context = self.get_renderer_context()
            answer.render()
            return answer.content, dict(answer.headers)

        content, headers = rendered() if request.GET else _made.get(request.accepted_media_type, rendered)
        return HttpResponse(content, headers=headers)
