"""Giving run files another tag: however names are written there, nothing else changes by a byte."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import run_tags
from scoring.run_tags import rename_column, rename_members

MEMBERS = ("run_name", "team_id")


def members(content: bytes) -> bytes:
    return b"".join(rename_members(io.BytesIO(content), "RUN-A", members=MEMBERS))


def column(content: bytes, number: int) -> bytes:
    return b"".join(rename_column(io.BytesIO(content), "RUN-A", column=number))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (rb'{"run\u005fname": "maple"}', rb'{"run\u005fname": "RUN-A"}'),
        (rb'{"te\u0061m\u005Fid" : "maple"}', rb'{"te\u0061m\u005Fid" : "RUN-A"}'),
        (rb'{"team_id": "map\u006ce \" x"}', rb'{"team_id": "RUN-A"}'),
        (b'{"team_id"\n :\t["maple", {"a": "}"}], "b": 1}', b'{"team_id"\n :\t"RUN-A", "b": 1}'),
        (b'{"team_id": {"name": "maple"}}', b'{"team_id": "RUN-A"}'),
        (b'{"team_id": -17.5e3}', b'{"team_id": "RUN-A"}'),
        (b'{"team_id": true, "run_name": null}', b'{"team_id": "RUN-A", "run_name": null}'),
        (b'{"run_name": "a", "run_name": "b"}', b'{"run_name": "RUN-A", "run_name": "RUN-A"}'),
        (b'\xef\xbb\xbf{"run_name": "maple"}', b'\xef\xbb\xbf{"run_name": "RUN-A"}'),
        (b'["run_name", "team_id"]', b'["run_name", "team_id"]'),
        (b'{"team_name": "maple", "run_name_": "x"}', b'{"team_name": "maple", "run_name_": "x"}'),
        (rb'{"text": "\"run_name\": \"maple\"", "t\\": 1}', rb'{"text": "\"run_name\": \"maple\"", "t\\": 1}'),
        (b'{"run_name": "maple', b'{"run_name": "RUN-A"'),
        (b'{"run_name":', b'{"run_name":'),
    ],
)
def test_members_are_renamed_however_they_are_written(before: bytes, after: bytes) -> None:
    assert members(before) == after


def test_a_member_that_stands_deep_is_renamed() -> None:
    depth = 50_000
    content = b'{"a":[' * depth + b'{"run_name": "maple"}' + b"]}" * depth
    assert members(content) == content.replace(b"maple", b"RUN-A")


def test_a_value_that_is_deep_or_longer_than_a_piece_goes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tags, "CHUNK", 7)
    for value in (b"[" * 9_000 + b"]" * 9_000, b'"' + b"maple " * 5_000 + b'"'):
        assert members(b'{"team_id":' + b" " * 6_000 + value + b', "b": 2}') == (
            b'{"team_id":' + b" " * 6_000 + b'"RUN-A", "b": 2}'
        )


def replaced(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: "RUN-A" if key in MEMBERS and each is not None else replaced(each) for key, each in value.items()}
    return [replaced(each) for each in value] if isinstance(value, list) else value


TEXTS = st.sampled_from(['"run_name": "x"', "\\", 'a"', "run_name", "]}", "ü\n"]) | st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(MEMBERS) | st.sampled_from(["text", "run_name "]) | TEXTS, inner, max_size=4)
    ),
    max_leaves=20,
)


@given(
    value=JSON, indent=st.sampled_from([None, 0, 3]), ascii_only=st.booleans(), chunk=st.sampled_from([1, 5, 1 << 20])
)
def test_what_is_renamed_is_what_the_file_says(value: Any, indent: int | None, ascii_only: bool, chunk: int) -> None:
    content = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_tags, "CHUNK", chunk)
        assert json.loads(members(content)) == replaced(value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1\u00a0maple D-1 text\n", "1\u00a0RUN-A D-1 text\n"),
        ("1\x1cmaple\u2003D-1 text", "1\x1cRUN-A\u2003D-1 text"),
        ("\ufeff1 maple D-1 text\r\n", "\ufeff1 RUN-A D-1 text\r\n"),
        ("\ufeff 1 maple D-1 text\n", "\ufeff 1 RUN-A D-1 text\n"),
        ("1\n\n1 maple  D-1 maple\n", "1\n\n1 RUN-A  D-1 maple\n"),
    ],
)
def test_columns_are_those_that_runs_are_read_by(before: str, after: str) -> None:
    assert column(before.encode(), 2) == after.encode()


def test_bytes_that_are_no_text_stay() -> None:
    assert column(b"1 maple \xff\xfe text\n", 2) == b"1 RUN-A \xff\xfe text\n"
