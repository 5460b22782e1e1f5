"""Makes keys of items that are judged separately for each response: the key shared by identical items, and the run.

    <key>.<n>@<run>    the n-th thing with this key in the response of this run; 32 hexadecimal digits are the key

Identical content of several runs has one key, and so is judged once. If a campaign judges each response separately,
each item has a key of its own, made from the shared one. Its place is 1, except in the definition pilot, where a string
that is repeated in one response is judged twice. Releases rename runs, so keys are renamed there, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

NOTHING = "nothing returned"
_OWN = re.compile(r"([0-9a-f]{32})\.([0-9]+)@(.+)", re.DOTALL)


def own_key(key: str, run: str, place: int = 1) -> str:
    """Return the key of the ``place``-th item with this shared key in the response of a run.

    >>> own_key("0" * 32, "A", 2)
    '00000000000000000000000000000000.2@A'
    """
    return f"{key}.{place}@{run}"


def run_of_key(key: str) -> str:
    """Return the run whose response the item belongs to; "" if it is judged once for all runs that returned it.

    >>> run_of_key(own_key("0" * 32, "A")), run_of_key("0" * 32)
    ('A', '')
    """
    found = _OWN.fullmatch(key) if "@" in key else None
    return found[3] if found is not None else ""


def shared_key(key: str) -> str:
    """Return the key that all identical items share.

    >>> shared_key(own_key("0" * 32, "A")) == shared_key("0" * 32) == "0" * 32
    True
    """
    found = _OWN.fullmatch(key)
    return found[1] if found is not None else key


def key_beside(key: str, other: str) -> str:
    """Return the key of an item in the same response as another item. It is the shared key, and if the other item's key
    names a run, that run is added.

    >>> key_beside("1" * 32, own_key("0" * 32, "A")) == own_key("1" * 32, "A")
    True
    >>> key_beside("1" * 32, "0" * 32) == "1" * 32
    True
    """
    run = run_of_key(other)
    return own_key(key, run) if run else key


def key_in_words(key: str) -> str:
    """Return what people are shown of an item without a text: its key, or "nothing returned" if the key names a run.

    >>> key_in_words("FIG 1"), key_in_words(own_key("0" * 32, "A"))
    ('FIG 1', 'nothing returned')
    """
    return NOTHING if run_of_key(key) else key


def renamed_key(key: str, runs: Mapping[str, str]) -> str:
    """Return the key with its run renamed; any other key is returned unchanged.

    >>> renamed_key(own_key("0" * 32, "A"), {"A": "RUN-B"})
    '00000000000000000000000000000000.1@RUN-B'
    """
    found = _OWN.fullmatch(key) if "@" in key else None
    return f"{found[1]}.{found[2]}@{runs.get(found[3], found[3])}" if found is not None else key
