"""Asking a service for JSON, and posting an event to an address. Only this module opens connections.

It connects only to addresses that settings name or allow. Redirects are not followed, and no proxy or password from the
environment is used: a request goes to the address that the site's administrator set, or nowhere. An answer must arrive
complete within the time of the setting and be no larger than `ANSWER_LIMIT`. The time counts from beginning to end, so
that no service can hold a thread by sending a byte now and then, and no name server by not answering. A process sends
one request at a time, as those who run such services wish.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from threading import BoundedSemaphore, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from assess.base.outages import Outage
from scoring.reading.json_reading import BadJson, read_json

if TYPE_CHECKING:
    import httpx

ANSWER_LIMIT = 16_000_000
"""The largest size of an answer in bytes."""

TURN_SECONDS = 1.0
"""How long a search waits for other searches of the process; each holds a thread meanwhile."""

SAID = 200  # characters shown of a service's own message
_TURN = BoundedSemaphore(1)
Received = TypeVar("Received")


class ServiceAway(Outage):
    """A service does not answer, or not as it should."""

    code = "service-away"
    then = gettext_lazy("Nothing is lost: ask again in a moment, or search without it.")

    def __init__(self, cause: str | Promise, *, details: str = "") -> None:
        self.cause = cause
        super().__init__(details=details)


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    """A service at the address that a setting names: its name for people, and the token that it requires, if any.

    A ``token`` that contains a space is sent unchanged; any other is sent as a bearer token.
    """

    name: str
    address: str
    token: str = ""

    def headers(self) -> dict[str, str]:
        """Return the headers of each request."""
        shown = self.token if " " in self.token else f"Bearer {self.token}"
        return {"Accept": "application/json", "Accept-Encoding": "identity"} | (
            {"Authorization": shown} if self.token else {}
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the raw content, of which nothing was read beyond a limit; then it is not whole."""

    status: int
    headers: Mapping[str, str]
    raw: bytes
    is_whole: bool


def ask_json(
    service: Service, path: str, *, params: Mapping[str, str] | None = None, body: Mapping[str, Any] | None = None
) -> Any:
    """Return a service's JSON answer to GET with ``params``, or to POST with ``body``.

    ``path`` begins with a slash and is percent-encoded. Raises `ServiceAway`, whose sentence says what went wrong.
    """
    import httpx

    if not _TURN.acquire(timeout=TURN_SECONDS):
        raise ServiceAway(_of(service, gettext_lazy("{name} is busy with other searches of this site.")))
    seconds: float = settings.ASSAY_SEARCH_SECONDS
    method, url = "GET" if body is None else "POST", service.address + path
    sent: dict[str, Any] = {"headers": service.headers(), "params": params or None, "json": body}
    try:
        answer = _in_time(lambda: _send(method, url, seconds=seconds, limit=ANSWER_LIMIT, **sent), seconds)
    except TimeoutError as error:
        cause = gettext_lazy("{name} did not answer within {seconds:g} seconds.")
        raise ServiceAway(_of(service, cause, seconds=seconds), details=service.address) from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        details = f"{service.address}: {type(error).__name__} {error}"
        raise ServiceAway(_of(service, gettext_lazy("{name} can't be reached.")), details=details) from error
    finally:
        _TURN.release()
    return _json_of(service, answer)


async def _send(method: str, url: httpx.URL | str, *, seconds: float, limit: int, **sent: Any) -> Answer:
    """Send a request as httpx describes it, and return what was answered; of the content one piece beyond ``limit``."""
    import httpx

    async with (
        asyncio.timeout(seconds),  # for the whole request: httpx only limits single steps
        httpx.AsyncClient(timeout=seconds, follow_redirects=False, trust_env=False, verify=_certificates()) as client,
        client.stream(method, url, **sent) as response,
    ):
        raw = bytearray()
        async for piece in response.aiter_raw():
            raw += piece
            if len(raw) > limit:
                break
        return Answer(response.status_code, response.headers, bytes(raw), len(raw) <= limit)


class _Loop(asyncio.SelectorEventLoop):
    """A loop that looks up names in its own thread. Others have a pool for that, for which Python waits at its end."""

    async def getaddrinfo(self, host: Any, port: Any, **about: Any) -> Any:
        return socket.getaddrinfo(host, port, **about)


def _in_time(request: Callable[[], Coroutine[Any, Any, Received]], seconds: float) -> Received:
    """Return what ``request`` returns, or raise `TimeoutError` once the time is over.

    The thread that it runs in is then left to itself, and ends with the process at the latest: nothing can break off a
    look-up of a host's name.
    """
    answer: Future[Received] = Future()

    def run() -> None:
        try:
            with asyncio.Runner(loop_factory=_Loop) as runner:
                answer.set_result(runner.run(request()))
        except BaseException as error:  # noqa: BLE001  (it is raised again where the answer is waited for)
            answer.set_exception(error)

    Thread(target=run, name="request", daemon=True).start()
    return answer.result(timeout=seconds)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Return the certificates that this machine trusts. They are read once, which takes some 20 ms."""
    return ssl.create_default_context()


def _of(service: Service, text: Any, **values: object) -> str | Promise:
    """Return a sentence about a service in the reader's language; ``text`` has its name and the values in braces."""
    return format_lazy(text, name=service.name, **values)


def _json_of(service: Service, answer: Answer) -> Any:
    """Return the JSON of an answer with status 200. Raises `ServiceAway` for any other status, and for an answer that
    is too long or no JSON.
    """
    status = answer.status
    details = f"{service.address}: status {status}, {answer.raw[:SAID]!r}"
    cause: str | Promise | None = None
    values: dict[str, object] = {"most": ANSWER_LIMIT // 1_000_000, "status": status}
    if not answer.is_whole:
        cause = gettext_lazy("{name} sent more than {most} MB, which nobody reads.")
    elif 300 <= status < 400:
        cause = gettext_lazy("{name} wants to be asked at another address, where this site does not go.")
    elif status in (401, 403):
        cause = gettext_lazy("{name} does not let this site in. Tell whoever runs the site.")
    elif status == 429:
        cause = gettext_lazy("{name} is asked too often and wants a pause.")
    if cause is not None:
        raise ServiceAway(_of(service, cause, **values), details=details)
    try:
        value = read_json(answer.raw)
    except BadJson as error:
        if status == 200:
            cause = gettext_lazy("{name} answered something that is no JSON.")
            raise ServiceAway(_of(service, cause), details=details) from error
        value = None
    if status != 200:
        said = value.get("error") if isinstance(value, dict) else None
        values["words"] = f": “{' '.join(said.split())[:SAID]}”" if isinstance(said, str) and said.strip() else ""
        raise ServiceAway(
            _of(service, gettext_lazy("{name} failed (status {status}){words}."), **values), details=details
        )
    return value


# Posting an event to an address (docs/decisions/0027).


def post_json(address: str, content: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
    """Send JSON to an address that settings allow; return the status and the beginning of the answer.

    Unless ASSAY_WEBHOOKS_PRIVATE is set, it is sent only by https, and only to a host with nothing but public
    addresses. Raises `ServiceAway`; its ``cause`` says what went wrong.
    """
    import httpx

    try:
        url = httpx.URL(address)
        if url.scheme != "https" and not settings.ASSAY_WEBHOOKS_PRIVATE:
            raise ServiceAway("Only https is allowed.")
        return _in_time(lambda: _post(url, content, headers), settings.ASSAY_SEARCH_SECONDS)
    except TimeoutError as error:
        raise ServiceAway(f"No answer within {settings.ASSAY_SEARCH_SECONDS:g} seconds.") from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
        why = _why_unreachable(error, settings.ASSAY_SEARCH_SECONDS)
        raise ServiceAway(why, details=f"{type(error).__name__} {error}") from error


def _why_unreachable(error: BaseException | None, seconds: float) -> str:
    """Return in plain words why an address can't be reached."""
    import httpx

    chain = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__
    words: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
        ((socket.gaierror, UnicodeError), "The name of its host is not known."),
        ((ssl.SSLCertVerificationError,), "Its certificate is not one that this site trusts."),
        ((ssl.SSLError,), "It does not speak https."),
        ((httpx.InvalidURL,), "It is no address that can be called."),
        ((httpx.TimeoutException, TimeoutError), f"No answer within {seconds:g} seconds."),
        ((httpx.ConnectError,), "Nothing takes connections there."),
        ((httpx.ProtocolError,), "It broke off, or answered with something that is not HTTP."),
    )
    for kinds, said in words:
        if any(isinstance(each, kinds) for each in chain):
            return said
    return "The connection broke off."


def _address_of(host: str, port: int) -> str:
    """Return the IP address of a host, so that the address that is called is the one that was checked.

    Raises `ServiceAway` for a host with a private address.
    """
    found = [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not settings.ASSAY_WEBHOOKS_PRIVATE and not all(map(_is_public, found)):
        raise ServiceAway("Its host is at an address that is not public.")
    return found[0]


def _is_public(address: str) -> bool:
    """Return whether an address can be reached from the whole Internet.

    >>> [_is_public(each) for each in ("192.0.43.8", "10.0.0.1", "127.0.0.1", "::1", "::ffff:10.0.0.1", "224.0.0.1")]
    [True, False, False, False, False, False]
    """
    found = ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or found
    return bool(mapped.is_global and not mapped.is_multicast)


async def _post(url: httpx.URL, content: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
    place = _address_of(url.host, url.port or (443 if url.scheme == "https" else 80))
    sent = {"Host": url.netloc.decode(), "Content-Type": "application/json", "User-Agent": "Assay", **headers}
    answer = await _send(
        "POST",
        url.copy_with(host=place),
        seconds=settings.ASSAY_SEARCH_SECONDS,
        limit=SAID,
        content=content,
        headers=sent,
        extensions={"sni_hostname": url.host},
    )
    return answer.status, answer.raw[:SAID].decode("ascii", "replace").replace("\0", "?")


# Asking the provider that identifies people (assay_site/provider_requests.py).


def exchange(method: str, url: str, *, headers: Mapping[str, str], content: bytes | None, seconds: float) -> Answer:
    """Send a request, and return the answer with whatever status. Raises `ServiceAway`."""
    import httpx

    sent = {"headers": {**headers, "Accept-Encoding": "identity"}, "content": content}
    try:
        answer = _in_time(lambda: _send(method, url, seconds=seconds, limit=ANSWER_LIMIT, **sent), seconds)
    except TimeoutError as error:
        raise ServiceAway(f"No answer within {seconds:g} seconds.") from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
        raise ServiceAway(_why_unreachable(error, seconds), details=f"{type(error).__name__} {error}") from error
    if not answer.is_whole:
        raise ServiceAway(f"It sent more than {ANSWER_LIMIT // 1_000_000} MB.")
    return answer
