"""How allauth's requests reach the provider that identifies people. Imported on first use.

allauth asks by `requests`, which limits only single steps: a provider that sends a byte now and then, or a name server
that does not answer, would hold a thread of the server.
"""

from __future__ import annotations

from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter
from requests.exceptions import ConnectionError as NotReached
from requests.utils import get_encoding_from_headers

from assess.base.http_json import ServiceAway, exchange


class InTime(BaseAdapter):  # type: ignore[misc]
    """Sends requests by the one module that opens connections, which ends each in time."""

    def send(self, request: PreparedRequest, *_: Any, timeout: Any = None, **__: Any) -> Response:
        """Return what was answered within ``timeout`` seconds. Raises requests' ConnectionError if it was not."""
        content = request.body.encode() if isinstance(request.body, str) else request.body
        try:
            told = exchange(
                str(request.method), str(request.url), headers=request.headers, content=content, seconds=timeout
            )
        except ServiceAway as away:
            raise NotReached(f"{away.cause} {away.details}".strip(), request=request) from away
        response = Response()
        response.status_code, response._content = told.status, told.raw
        response.headers.update(told.headers)
        response.encoding = get_encoding_from_headers(response.headers)
        response.url, response.request = str(request.url), request
        return response

    def close(self) -> None:
        """Nothing stays open."""
