"""Broken run files and question files, each with one or two rules broken, for the checkers.

They are made from the smallest run that is right: one short answer to each question of the campaign.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from bench.demo_runs.questions import QUESTIONS

Lines = list[str]


def base_lines(docnos: list[str]) -> Lines:
    """Return the lines of the smallest run that is right: one for each question."""
    return [f"{qid} Quill2 {docnos[n % len(docnos)]} answer number {n + 1}\n" for n, qid in enumerate(QUESTIONS)]


def _joined(lines: Lines) -> bytes:
    return "".join(lines).encode()


def _at(index: int, change: Callable[[str], str]) -> Callable[[Lines], bytes]:
    """Return a function that makes the file of a run with the line at ``index`` changed."""
    return lambda lines: _joined([change(line) if n == index else line for n, line in enumerate(lines)])


def _without(*qids: str) -> Callable[[Lines], bytes]:
    return lambda lines: _joined([line for line in lines if line.split()[0] not in qids])


def _with(*more: str) -> Callable[[Lines], bytes]:
    return lambda lines: _joined([*lines, *more])


def _docno(line: str) -> str:
    return line.split(" ")[2]


def _over_length(lines: Lines) -> bytes:
    """Return a run with ten more strings of 701 characters for question 2.2: none is too long alone, but all are."""
    more = [f"2.2 Quill2 {_docno(lines[0])} {letter * 701}\n" for letter in "abcdefghij"]
    return _joined(lines + more)


def _just_fits_then_not(lines: Lines) -> bytes:
    """Return a run with exactly 7000 characters for question 1.1 and 7001 for question 1.2, blanks not counted."""
    full = [
        " ".join([*line.split(" ")[:3], _filled(count)]) + "\n"
        for line, count in zip(lines, (7000, 7001), strict=False)
    ]
    return _joined(full + lines[2:])


def _filled(count: int) -> str:
    return " ".join("x" * 100 for _ in range(count // 100)) + (" " + "y" * (count % 100) if count % 100 else "")


def _bad_utf8(lines: Lines) -> bytes:
    return _joined(lines[:3]) + lines[3].replace("answer", "caf\xe9").encode("latin-1") + _joined(lines[4:])


def _mistakes(lines: Lines) -> bytes:
    """Return what a participant in a hurry sends: seven different mistakes in one file."""
    many = list(lines)
    many[1] = many[1].replace("Quill2", "Quill3")
    many[3] = many[3].replace(_docno(many[3]), "BLOG06-20060230-099-0000000001")
    many[4] = "2.1 Quill2\n"
    many[6] = many[6].replace("answer", "answer\u2028")
    many[9] = "\n"
    many[12] = many[12].replace("4.3", "4.9")
    return _joined([*many, many[0]])


RUNS: dict[str, Callable[[Lines], bytes]] = {
    "answer-of-invisible-characters": _at(4, lambda line: line.split("answer")[0] + "\u200b\u200b\n"),
    "answer-too-long": _over_length,
    "bad-utf8": _bad_utf8,
    "blank-lines": lambda lines: _joined([*lines[:5], "\n", *lines[5:], "   \n"]),
    "byte-order-mark-and-missing": lambda lines: b"\xef\xbb\xbf" + _joined(lines[:-1]),
    "carriage-return-inside": _at(7, lambda line: line.replace(" number", "\rnumber")),
    "control-character": _at(2, lambda line: line.replace("number", "num\x1bber")),
    "crlf-and-unknown-question": lambda lines: _joined(
        [*lines, f"9.1 Quill2 {_docno(lines[0])} no such question\n"]
    ).replace(b"\n", b"\r\n"),
    "docid-far-too-long": _at(10, lambda line: line.replace(_docno(line), "BLOG06-" + "0" * 200)),
    "docid-unknown": _at(11, lambda line: line.replace(_docno(line), "BLOG06-20060230-099-0000000001")),
    "duplicate-instances": lambda lines: _joined(
        [*lines, lines[0], lines[5].replace("answer number", "answer   number")]
    ),
    "empty": lambda lines: b"",
    "form-feed-inside": _at(9, lambda line: line.replace(" number", "\x0cnumber")),
    "gzip": lambda lines: gzip.compress(_joined(lines), mtime=0),
    "last-line-cut-off": lambda lines: _joined(lines)[: -len(" answer number 26\n")],
    "length-limit-exactly": _just_fits_then_not,
    "line-separator-inside": _at(6, lambda line: line.replace(" number", "\u2028number")),
    "many-mistakes": _mistakes,
    "missing-questions": _without("3.2", "7.1"),
    "next-line-inside": _at(8, lambda line: line.replace(" number", "\x85number")),
    "nul": _at(13, lambda line: line.replace("number", "num\x00ber")),
    "one-huge-line": _at(3, lambda line: line[:-1] + " z" * 40_000 + "\n"),
    "other-tag-on-a-line": _at(14, lambda line: line.replace("Quill2", "Quill1")),
    "paragraph-separator-inside": _at(5, lambda line: line.replace(" number", "\u2029number")),
    "tag-with-bad-characters": lambda lines: _joined([line.replace("Quill2", "Qu/ll2") for line in lines]),
    "tag-without-priority": lambda lines: _joined([line.replace("Quill2", "Quill") for line in lines]),
    "three-columns": _at(16, lambda line: " ".join(line.split()[:3]) + "\n"),
    "trec-format": lambda lines: _joined([f"{line.split()[0]} Q0 {_docno(line)} 1 9.5 Quill2\n" for line in lines]),
    "two-columns-and-missing": _at(20, lambda line: " ".join(line.split()[:2]) + "\n"),
    "unknown-question": _with(
        "1.9 Quill2 {docno} an answer nobody asked for\n", "12 Quill2 {docno} a target is no question\n"
    ),
    "utf16": lambda lines: _joined(lines).decode().encode("utf-16"),
}


def broken_runs(docnos: list[str]) -> dict[str, bytes]:
    """Return all broken runs, by file name."""
    lines = base_lines(docnos)
    filled = {name: make(lines) for name, make in RUNS.items()}
    return {f"{name}.txt": data.replace(b"{docno}", docnos[0].encode()) for name, data in filled.items()}


# ---------------------------------------------------------------- question files

_Q = '<q id="1.1" type="RigidList">Which products?</q><q id="1.2" type="SquishyList">Why?</q>'


def _file(inner: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<questions>\n{inner}\n</questions>\n'.encode()


def _target(series: str = _Q, head: str = 'id="1" text="Pennywhistle Market"') -> str:
    lines = series.replace("<q ", "\n    <q ").replace("<Q ", "\n    <Q ")
    return f"  <target {head}>\n  <qa>{lines}\n  </qa>\n  </target>"


TOPICS: dict[str, bytes] = {
    "bad-utf8.xml": _file(_target()).replace(b"products", b"caf\xe9s"),
    "doctype.xml": _file(_target()).replace(
        b"<questions>", b'<!DOCTYPE questions SYSTEM "questions.dtd">\n<questions>', 1
    ),
    "empty.xml": b"",
    "entity-bomb.xml": (
        b'<?xml version="1.0"?>\n<!DOCTYPE q [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>\n<questions><target id="1" text="&c;"/></questions>\n'
    ),
    "entity-external.xml": (
        b'<?xml version="1.0"?>\n<!DOCTYPE q [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n'
        b'<questions><target id="1" text="t"><qa><q id="1.1" type="RigidList">&x;</q></qa></target></questions>\n'
    ),
    "five-questions.xml": _file(_target(_Q + "".join(f'<q id="1.{n}" type="RigidList">What?</q>' for n in (3, 4, 5)))),
    "no-questions.xml": _file(_target("")),
    "no-targets.xml": _file("  <!-- nothing yet -->"),
    "not-closed.xml": _file(_target()).replace(b"</q>", b"", 1),
    "not-xml.xml": b"1.1 RigidList Which products do people recommend?\n",
    "question-duplicate.xml": _file(_target(_Q.replace("1.2", "1.1"))),
    "question-id-of-other-target.xml": _file(_target(_Q.replace("1.2", "2.2"))),
    "question-id-three-parts.xml": _file(_target(_Q.replace("1.2", "1.2.1"))),
    "question-id-missing.xml": _file(_target(_Q.replace(' id="1.2"', ""))),
    "question-order.xml": _file(_target(_Q.replace("1.1", "1.x").replace("1.2", "1.1").replace("1.x", "1.2"))),
    "question-outside-target.xml": _file(
        '  <q id="1.1" type="RigidList">Which?</q>\n' + _target(_Q.replace("1.1", "1.3"))
    ),
    "question-text-missing.xml": _file(_target(_Q.replace("Why?", "  "))),
    "question-type-factoid.xml": _file(_target(_Q.replace("SquishyList", "Factoid"))),
    "question-type-missing.xml": _file(_target(_Q.replace(' type="SquishyList"', ""))),
    "target-duplicate.xml": _file(_target() + "\n" + _target(_Q.replace("1.1", "1.3").replace("1.2", "1.4"))),
    "target-id-missing.xml": _file(_target(head='text="Pennywhistle Market"')),
    "target-nested.xml": _file(
        _target(_Q + '<target id="2" text="inner"><q id="2.1" type="RigidList">Which?</q></target>')
    ),
    "target-text-missing.xml": _file(_target(head='id="1"')),
    "unknown-element.xml": _file(_target(_Q + "<remark>not part of the format</remark>")),
    "utf16.xml": _file(_target()).decode().replace("UTF-8", "UTF-16").encode("utf-16"),
    "wrong-encoding-name.xml": _file(_target()).replace(b"UTF-8", b"x-klingon"),
}


def write_broken(folder: Path, docnos: list[str]) -> None:
    """Write all broken files into ``folder``/runs/bad and ``folder``/topics/bad.

    Other files there are removed but for those whose names end in .issues.tsv.
    """
    for place, files in (("runs/bad", broken_runs(docnos)), ("topics/bad", TOPICS)):
        target = folder / place
        target.mkdir(parents=True, exist_ok=True)
        for old in target.iterdir():
            if old.name not in files and not old.name.endswith(".issues.tsv"):
                old.unlink()
        for name, data in files.items():
            target.joinpath(name).write_bytes(data)
