"""Read settings from the environment. Every function here that takes the name of a setting raises `BadSetting`, with
one line, if its value is not allowed; most return a default if the setting is missing or empty.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from django.http.request import split_domain_port, validate_host

from assay_site.site_folders import begins_site
from scoring.reading.json_reading import parse_json

Value = TypeVar("Value")
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
CLASS = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_ORIGIN = re.compile(r"https?://(\*\.)?([A-Za-z0-9_-][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?\Z")
_HOST = re.compile(r"[^/\s:\[\]]+\Z|\[[0-9A-Fa-f:.]+\]\Z")
_MAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


ELSEWHERE = frozenset({"ASSAY_DATA_DIR", "ASSAY_BERTSCORE_MODEL"})
"""Settings that `setting` does not read."""
_named: set[str] = set()


class BadSetting(ImproperlyConfigured):
    """Raised when a setting has a value that is not allowed. The message names the setting, the value, and what is
    allowed.
    """


def setting(name: str, default: Value, read: Callable[[str], Value], allowed: str, *, secret: bool = False) -> Value:
    """Return the value that ``read`` makes from the setting's text. Return the default if the setting is missing or
    empty.

    Raises `BadSetting` if ``read`` raises ValueError. The message says which texts are ``allowed``, and does not repeat
    the value of a ``secret`` setting.
    """
    _named.add(name)
    given = os.environ.get(name, "").strip()
    return _understood(name, given, read, allowed, secret=secret) if given else default


def misspelt_settings() -> list[str]:
    """Return the names in the environment that look like misspelt settings, each with the setting that it was probably
    meant to be.
    """
    strange = sorted(name for name in os.environ if name.startswith("ASSAY_") and name not in _named | ELSEWHERE)
    alike = ((name, get_close_matches(name, _named, n=1, cutoff=0.8)) for name in strange)
    return [f"{name} (did you mean {found[0]}?)" for name, found in alike if found]


def _understood(name: str, given: str, read: Callable[[str], Value], allowed: str, *, secret: bool = False) -> Value:
    try:
        return read(given)
    except ValueError as error:
        shown = "" if secret else f" “{given}”"
        why = f" ({error})" if isinstance(error, BadValue) else ""
        raise BadSetting(f"The setting {name}{shown} is not allowed{why}. Set it to {allowed}.") from error


class BadValue(ValueError):
    """Raised to give a more precise reason why a value is not allowed. Without it, the message only says what is
    allowed.
    """


def text(name: str, default: str = "") -> str:
    """Return the value of a setting that may be any text."""
    return setting(name, default, str, "any text")


def flag(name: str, default: bool) -> bool:
    """Return whether a setting is on. Raises `BadSetting` if it is neither on nor off."""

    def read(text: str) -> bool:
        if text.lower() not in (*YES, *NO):
            raise ValueError
        return text.lower() in YES

    return setting(name, default, read, "1 (or true, yes, on) or 0 (or false, no, off)")


def whole_number(name: str, default: int, *, least: int = 0) -> int:
    """Return the value of a setting, a whole number of at least ``least``. Raises `BadSetting` for anything else."""

    def read(text: str) -> int:
        number = int(text)
        if number < least:
            raise ValueError
        return number

    return setting(name, default, read, f"a whole number, at least {least}")


def seconds(name: str, default: float) -> float:
    """Return the value of a setting, a time in seconds. Raises `BadSetting` if it is not a finite number above 0."""

    def read(text: str) -> float:
        number = float(text)
        if not math.isfinite(number) or number <= 0:
            raise ValueError
        return number

    return setting(name, default, read, "a number of seconds above 0, such as 5 or 0.5")


def share(name: str, default: float) -> float:
    """Return the value of a setting, a share. Raises `BadSetting` if it is not a number above 0 and at most 1."""

    def read(text: str) -> float:
        number = float(text)
        if not 0 < number <= 1:
            raise ValueError
        return number

    return setting(name, default, read, "a number above 0 and at most 1, such as 0.8")


def hosts(name: str, default: str) -> list[str]:
    """Return the host names that a setting lists, separated by commas.

    Raises `BadSetting` for an empty list, and for a name with a port, since it would match no request.
    """

    def read(text: str) -> list[str]:
        names = [each.strip() for each in text.split(",") if each.strip()]
        if not names or not all(_HOST.match(each) for each in names):
            raise ValueError
        return names

    example = "names of hosts with commas between, without ports, such as assay.example.org,localhost,[::1]"
    return setting(name, read(default), read, example)


def origins(name: str) -> list[str]:
    """Return the origins that a setting lists, separated by commas, or [] if it is not set. Raises `BadSetting` if one
    of them is not valid.
    """
    example = "origins with commas between, such as https://assay.example.org"
    return setting(name, [], lambda text: [_origin(each.strip()) for each in text.split(",") if each.strip()], example)


def _origin(text: str) -> str:
    if not (match := _ORIGIN.match(text)) or int(match["port"] or 1) not in range(1, 65536):
        raise ValueError
    return text.rstrip("/")


def document_origin(name: str, *, hosts: list[str], site: list[str], https: bool) -> str:
    """Return the origin for documents, or "" if it is not set.

    Raises `BadSetting` if its host is not one of the allowed ``hosts`` or is also a host of the ``site``, or if it
    begins with http although the site has ``https``.
    """

    def read(text: str) -> str:
        origin = urlsplit(_origin(text))
        host = split_domain_port(origin.netloc)[0]
        if "*" in host:
            raise ValueError
        if not validate_host(host, hosts):
            raise BadValue("its host is none of ASSAY_HOSTS, so nobody would get an answer there")
        if any(split_domain_port(urlsplit(each).netloc)[0] == host for each in site):
            raise BadValue("its host is one of ASSAY_ORIGINS, and browsers send the site's cookies to all ports of it")
        if https and origin.scheme == "http":
            raise BadValue("with ASSAY_HTTPS, browsers show nothing that comes without it")
        return text.rstrip("/")

    return setting(name, "", read, "an origin without a path, such as https://docs.example.org")


def address(name: str) -> str:
    """Return the address of a service, with or without a path, or "" if it is not set. Raises `BadSetting` if it is not
    an http address or has a name, a password or a query.
    """
    example = "an address such as https://search.example.org, without a name and password"
    return setting(name, "", _address, example, secret="@" in os.environ.get(name, ""))


def addresses(name: str) -> list[str]:
    """Return the addresses, with or without paths, that a setting lists, separated by commas. Raises `BadSetting` as
    `address` does.
    """

    def read(text: str) -> list[str]:
        return [_address(each.strip()) for each in text.split(",") if each.strip()]

    example = "addresses with commas between, such as https://hooks.example.org/assay, without a name and password"
    return setting(name, [], read, example, secret="@" in os.environ.get(name, ""))


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError
    if parts.query or parts.fragment or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError
    return text.rstrip("/")


def contacts(name: str) -> list[str]:
    """Return the addresses that a setting lists, separated by commas: mail addresses, each turned into a mailto:
    address, or https addresses of pages. Raises `BadSetting` for anything else.
    """

    def read(text: str) -> list[str]:
        return [_contact(each.strip()) for each in text.split(",") if each.strip()]

    return setting(name, [], read, "mail addresses or https addresses with commas between: security@example.org")


def _contact(text: str) -> str:
    if text.startswith("https://"):
        return _address(text)
    if not _MAIL.fullmatch(text.removeprefix("mailto:")):
        raise ValueError
    return f"mailto:{text.removeprefix('mailto:')}"


def token(name: str) -> str:
    """Return the token that callers of a service must send, or "" if it is not set. Raises `BadSetting` if it has signs
    outside of ASCII. The message does not repeat the token.
    """

    def read(text: str) -> str:
        if not text.isascii() or not text.isprintable():
            raise ValueError
        return text

    return setting(name, "", read, "letters, digits and signs of ASCII", secret=True)


def searched(name: str, address: str, *, elsewhere: Collection[str] = ()) -> dict[str, str]:
    """Return campaign -> the name under which the search service at ``address`` searches its documents. Only these
    campaigns may use the service.

    Raises `BadSetting` if a campaign is listed twice or also ``elsewhere``, or if the service has no address.
    """

    def read(text: str) -> dict[str, str]:
        pairs = [[part.strip() for part in each.split("=")] for each in text.split(",") if each.strip()]
        if not all(len(pair) == 2 and all(pair) for pair in pairs):
            raise ValueError
        found: dict[str, str] = dict(pairs)
        if len(found) < len(pairs) or found.keys() & set(elsewhere):
            raise BadValue("a campaign stands there twice")
        if not address:
            raise BadValue("no address of the service is set")
        return found

    example = "campaigns by their short names with what each is searched in, such as rag-2025=climbmix-400b"
    return setting(name, {}, read, example)


def time_zone(name: str, default: str) -> str:
    """Return the name of a time zone. Raises `BadSetting` if the system does not know it."""

    def read(text: str) -> str:
        try:
            return ZoneInfo(text).key
        except (LookupError, OSError) as error:
            raise ValueError from error

    return setting(name, default, read, "a time zone by its name, such as UTC or Europe/Berlin")


def log_level(name: str, default: str) -> str:
    """Return one of Python's log levels, in capitals. Raises `BadSetting` for any other word."""

    def read(text: str) -> str:
        return LEVELS[LEVELS.index(text.upper())]

    return setting(name, default, read, f"one of {', '.join(LEVELS)}")


def one_of(name: str, default: str, allowed: Sequence[str]) -> str:
    """Return the value of a setting. Raises `BadSetting` if it is not one of the ``allowed`` words."""

    def read(text: str) -> str:
        return allowed[allowed.index(text)]

    return setting(name, default, read, f"one of {', '.join(allowed)}")


def folder(name: str, default: Path) -> Path:
    """Return the path of a folder that can be written to. It is made if it does not exist, but only by a command that
    may begin a site; other commands get its path.

    Raises `BadSetting` if the folder can't be made or written to.
    """

    def read(text: str) -> Path:
        path = Path(text).expanduser().resolve()
        if not begins_site() and not path.is_dir():
            return path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadValue(error.strerror or "it can't be made") from error
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            raise BadValue("it can't be written")
        return path

    given = os.environ.get(name, "").strip() or str(default)  # the default is checked, too
    return _understood(name, given, read, "a folder that this program may write to")


def document_store(name: str, default: str) -> str:
    """Return where the bodies of documents are stored: `database`, `files`, or the class of a Django storage. Raises
    `BadSetting` for anything else. Whether the class exists is not looked up.
    """

    def read(text: str) -> str:
        if text not in ("database", "files") and not CLASS.fullmatch(text):
            raise ValueError
        return text

    example = "database, files, or the class of a storage, such as storages.backends.s3.S3Storage"
    return setting(name, default, read, example)


def json_object(name: str) -> dict[str, Any]:
    """Return the JSON object in a setting, or {} if it is not set. Raises `BadSetting` for anything else; the message
    does not repeat it, since it may contain keys.
    """

    def read(text: str) -> dict[str, Any]:
        value = parse_json(text)
        if not isinstance(value, dict):
            raise ValueError
        return value

    return setting(name, {}, read, "an object of JSON", secret=True)


PROVIDER = ("name", "server", "client_id", "secret")


def provider(name: str) -> list[dict[str, Any]]:
    """Return the OpenID Connect provider for logins as a list of one in allauth's format, or [] if none is set. Raises
    `BadSetting` if one of its texts is missing or empty, or its server is no address.
    """

    def read(text: str) -> list[dict[str, Any]]:
        value = parse_json(text)
        if not isinstance(value, dict) or set(value) != set(PROVIDER):
            raise ValueError
        if not all(isinstance(each, str) and each.strip() for each in value.values()) or not origin_of(value["server"]):
            raise ValueError
        at = {"server_url": value["server"].rstrip("/")}
        kept = {"provider_id": "provider", "name": value["name"], "client_id": value["client_id"]}
        return [{**kept, "secret": value["secret"], "settings": at}]

    return setting(name, [], read, f"an object of JSON with the texts {', '.join(PROVIDER)}", secret=True)


def origin_of(address: str) -> str:
    """Return the origin of an http or https address, or "" for anything else."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.hostname else ""
