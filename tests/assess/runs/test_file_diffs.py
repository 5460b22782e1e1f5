"""What differs between two files: the hunks put the new file together out of the old one."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from assess.runs.file_diffs import DiffLine, Hunk, diff_hunks, shown

LINES = st.lists(st.sampled_from(["a", "b", "c", "dd"]), max_size=40).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


def hunks(old: str, new: str, window: int = 400) -> list[Hunk]:
    return list(diff_hunks(io.BytesIO(old.encode()), io.BytesIO(new.encode()), window=window))


def patched(old: str, found: list[Hunk]) -> str:
    """The old file with the hunks applied, as `patch` does."""
    lines, made, at = old.splitlines(), [], 1
    for hunk in found:
        made += lines[at - 1 : hunk.old_start - 1]
        at = hunk.old_start
        assert hunk.new_start == len(made) + 1
        for line in hunk.lines:
            if line.kind != "+":
                assert lines[at - 1] == line.text
                at += 1
            if line.kind != "-":
                made.append(line.text)
    return "".join(f"{line}\n" for line in [*made, *lines[at - 1 :]])


def test_the_same_file_has_no_hunks() -> None:
    assert hunks("a\nb\n", "a\nb\n") == []


def test_changes_far_apart_are_hunks_of_their_own_with_three_lines_around() -> None:
    old = [str(number) for number in range(1, 31)]
    new = [line for line in old if line != "5"]
    new[new.index("20")] = "x"
    first, second = hunks("".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))
    assert (first.header, second.header) == ("@@ -2,7 +2,6 @@", "@@ -17,7 +16,7 @@")
    assert [line.kind for line in first.lines] == [" ", " ", " ", "-", " ", " ", " "]
    assert second.lines[3:5] == (DiffLine("-", "20"), DiffLine("+", "x"))


def test_what_can_not_be_seen_is_shown() -> None:
    assert shown("\ufeffa\tb \t\r\n".encode()) == "‹BOM›a→b·→‹CR›"
    assert shown(b"a\x07\xff") == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}‹no line break›"
    assert shown(b"x" * 1000 + b"\n") == "x" * 300 + "…"


@given(LINES, LINES, st.sampled_from([2, 5, 400]))
def test_the_hunks_make_the_new_file_whatever_the_window(old: str, new: str, window: int) -> None:
    assert patched(old, hunks(old, new, window)) == new


def test_no_hunk_holds_a_whole_file() -> None:
    old, new = "a\n" * 1000 + "b\n", "b\n" + "c\n" * 700
    found = hunks(old, new)
    assert max(len(hunk.lines) for hunk in found) == 200
    assert patched(old, found) == new
