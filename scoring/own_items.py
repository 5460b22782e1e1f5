"""Keys of items that are judged by themselves, each in its own response: the key of what is identical, and whose it is.

    <key>.<n>@<run>    the n-th thing with this key in the response of this run; 32 hexadecimal digits are the key

What several runs returned alike has one key, and so is judged once. Where a campaign judges each response by itself,
each of them has a key of its own, made of that one: its place is 1 but in the definition pilot, where a string that
stands twice in one response is judged twice. Releases call runs otherwise, so keys are renamed there, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

NOTHING = "nothing returned"
_OWN = re.compile(r"([0-9a-f]{32})\.([0-9]+)@(.+)", re.DOTALL)


def own_key(key: str, run: str, place: int = 1) -> str:
    """Return the key of the ``place``-th thing with this shared key in the response of a run.

    >>> own_key("0" * 32, "A", 2)
    '00000000000000000000000000000000.2@A'
    """
    return f"{key}.{place}@{run}"


def run_of_key(key: str) -> str:
    """Whose response the thing is part of; "" where it is judged once for all that returned it.

    >>> run_of_key(own_key("0" * 32, "A")), run_of_key("0" * 32)
    ('A', '')
    """
    found = _OWN.fullmatch(key) if "@" in key else None
    return found[3] if found is not None else ""


def shared_key(key: str) -> str:
    """The key that all have that are identical.

    >>> shared_key(own_key("0" * 32, "A")) == shared_key("0" * 32) == "0" * 32
    True
    """
    found = _OWN.fullmatch(key)
    return found[1] if found is not None else key


def key_beside(key: str, other: str) -> str:
    """Return the key of what has this shared key in the response that another key belongs to: its own, where that has
    one.

    >>> key_beside("1" * 32, own_key("0" * 32, "A")) == own_key("1" * 32, "A")
    True
    >>> key_beside("1" * 32, "0" * 32) == "1" * 32
    True
    """
    run = run_of_key(other)
    return own_key(key, run) if run else key


def key_in_words(key: str) -> str:
    """Return what people are shown of a thing that has no text: its key, which never says whose it is.

    >>> key_in_words("FIG 1"), key_in_words(own_key("0" * 32, "A"))
    ('FIG 1', 'nothing returned')
    """
    return NOTHING if run_of_key(key) else key


def renamed_key(key: str, runs: Mapping[str, str]) -> str:
    """Return the key with the run called otherwise; any other key as it is.

    >>> renamed_key(own_key("0" * 32, "A"), {"A": "RUN-B"})
    '00000000000000000000000000000000.1@RUN-B'
    """
    found = _OWN.fullmatch(key) if "@" in key else None
    return f"{found[1]}.{found[2]}@{runs.get(found[3], found[3])}" if found is not None else key
