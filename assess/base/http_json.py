"""Asking a service for JSON: the one module that opens a connection, to addresses that settings name and no others.

No redirect is followed, and no proxy and no password of the environment is used: what is asked goes to the address
that whoever runs the site has set, or nowhere. An answer comes within the time of the setting, whole and not larger
than `ANSWER_LIMIT`, or it is none; the time counts from beginning to end, so that no service holds a thread by sending
a byte now and then. A process asks one thing at a time, as those who run such services wish.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings

from assess.base.outages import Outage
from scoring.json_reading import BadJson, read_json

ANSWER_LIMIT = 16_000_000
"""Bytes of an answer."""

TURN_SECONDS = 1.0
"""How long one search waits for others of the process: they hold a thread each meanwhile."""

SAID = 200  # characters of a service's own words that are shown
_TURN = BoundedSemaphore(1)


class ServiceAway(Outage):
    """A service that the site asks does not answer, or not as it should."""

    code = "service-away"
    then = "Nothing is lost: ask again in a moment, or search without it."

    def __init__(self, cause: str, *, details: str = "") -> None:
        self.cause = cause
        super().__init__(details=details)


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    """A service at the address that a setting names, as people know it, and the token that it asks for, if any.

    A ``token`` with a blank in it is sent as it is; else it is a bearer's.
    """

    name: str
    address: str
    token: str = ""

    def headers(self) -> dict[str, str]:
        """What is sent with each request."""
        shown = self.token if " " in self.token else f"Bearer {self.token}"
        return {"Accept": "application/json", "Accept-Encoding": "identity"} | (
            {"Authorization": shown} if self.token else {}
        )


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    raw: bytes
    is_whole: bool


def ask_json(
    service: Service, path: str, *, params: Mapping[str, str] | None = None, body: Mapping[str, Any] | None = None
) -> Any:
    """The JSON that a service answers: to GET with ``params``, or to POST with ``body``.

    ``path`` begins with a slash and is encoded. Raises ServiceAway, whose sentence says what went wrong.
    """
    import httpx

    if not _TURN.acquire(timeout=TURN_SECONDS):
        raise ServiceAway(f"{service.name} is busy with other searches of this site.")
    try:
        answer = asyncio.run(_ask(service, path, params, body))
    except TimeoutError as error:
        cause = f"{service.name} did not answer within {settings.ASSAY_SEARCH_SECONDS:g} seconds."
        raise ServiceAway(cause, details=service.address) from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        details = f"{service.address}: {type(error).__name__} {error}"
        raise ServiceAway(f"{service.name} can't be reached.", details=details) from error
    finally:
        _TURN.release()
    return _read(service, answer)


async def _ask(
    service: Service, path: str, params: Mapping[str, str] | None, body: Mapping[str, Any] | None
) -> _Answer:
    import httpx

    seconds: float = settings.ASSAY_SEARCH_SECONDS
    async with (
        asyncio.timeout(seconds),  # of all together: httpx has times for each step alone
        httpx.AsyncClient(timeout=seconds, follow_redirects=False, trust_env=False, verify=_certificates()) as client,
        client.stream(
            "GET" if body is None else "POST",
            service.address + path,
            headers=service.headers(),
            params=params or None,
            json=body,
        ) as response,
    ):
        raw = bytearray()
        async for piece in response.aiter_raw():
            raw += piece
            if len(raw) > ANSWER_LIMIT:
                break
        return _Answer(response.status_code, bytes(raw), len(raw) <= ANSWER_LIMIT)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The certificates that this machine trusts. Read once: it takes some 20 ms."""
    return ssl.create_default_context()


def _read(service: Service, answer: _Answer) -> Any:
    name, status = service.name, answer.status
    details = f"{service.address}: status {status}, {answer.raw[:SAID]!r}"
    if not answer.is_whole:
        raise ServiceAway(f"{name} sent more than {ANSWER_LIMIT // 1_000_000} MB, which nobody reads.", details=details)
    if 300 <= status < 400:
        cause = f"{name} wants to be asked at another address, where this site does not go."
        raise ServiceAway(cause, details=details)
    if status in (401, 403):
        raise ServiceAway(f"{name} does not let this site in. Tell whoever runs the site.", details=details)
    if status == 429:
        raise ServiceAway(f"{name} is asked too often and wants a pause.", details=details)
    try:
        value = read_json(answer.raw)
    except BadJson as error:
        if status == 200:
            raise ServiceAway(f"{name} answered something that is no JSON.", details=details) from error
        value = None
    if status != 200:
        said = value.get("error") if isinstance(value, dict) else None
        words = f": “{' '.join(said.split())[:SAID]}”" if isinstance(said, str) and said.strip() else ""
        raise ServiceAway(f"{name} failed (status {status}){words}.", details=details)
    return value
