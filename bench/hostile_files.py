"""Make files such as an attacker may send: repetitions of one kind, and good files of which one part is made large."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from scoring.reading.json_reading import MOST_PARTS

REPEATED: dict[str, bytes] = {
    "line breaks": b"\n",
    "CR LF": b"\r\n",
    "lone CR": b"\r",
    "one long line": b"a",
    "one long word list": b"a ",
    "lines of one letter": b"a\n",
    "lines of a blank": b" \n",
    "lines of six words": b"1 Q0 a 1 1 a\n",
    "brackets": b"[",
    "braces": b'{"a":',
    "brackets in lines": b"[\n",
    "bad JSON lines": b"{\n",
    "lines of {}": b"{}\n",
    "lines of 1": b"1\n",
    "empty objects": b"{},",
    "tabs": b"\t",
    "tabs in lines": b"\t\t\n",
    "commas": b",",
    "commas in lines": b",,\n",
    "quotes": b'"',
    "quotes in lines": b'"\n',
    "quoted lines": b'""\n',
    "backslashes": b"\\",
    "NULs": b"\0",
    "NULs in lines": b"\0\n",
    "no UTF-8": b"\xff",
    "no UTF-8 in lines": b"\xff\n",
    "vertical tabs": b"\x0b",
    "line separators": "\u2028".encode(),
    "controls": b"\x01",
    "ampersands": b"&",
    "entities": b"&amp;",
    "open tags": b"<a",
    "tags": b"<a>",
    "ended tags": b"<a></a>",
    "comments": b"<!--",
    "attributes": b'<a b="',
    "numbers": b"1",
    "lines of numbers": b"11 12 13\n",
    "dashes": b"-",
    "combining marks": "\u0301".encode(),
    "topics": b"<top>\n<num> Number: 1\n<title> a\n</top>\n",
    "begun topics": b"<top>\n",
    "documents": b"<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n",
    "begun documents": b"<DOC>",
    "sentences": b"One. ",
    "letters that grow": "\ufdfa".encode(),
    "letters of four bytes": "\U0010ffff".encode(),
    "numeric entities": b"&#65;",
    "entities without an end": b"&lt",
    "character data": b"<![CDATA[",
    "instructions": b"<?a ",
    "declared entities": b'<!DOCTYPE a [<!ENTITY b "c">',
    "attributes in a tag": b'b="1" ',
    "a letter in a second column": b"\ta\n",
    "pairs by tabs": b"1\ta\n",
    "pairs by commas": b"1,a\n",
    "quoted pairs": b'"1","a"\n',
    "pairs by semicolons": b"1;a\n",
    "pairs by bars": b"1|a\n",
    "lists in lines": b"[1]\n",
    "texts in lines": b'"a"\n',
    "record headers": b"WARC/1.0\r\n\r\n",
    "lines of Markdown": b"- a\n",
    "byte order marks": b"\xef\xbb\xbf",
    "lines of YAML": b"- a: b\n",
    "lines of mail's header": b"A: b\n",
    "settings": b"A_B=c\n",
    "conflicts of Git": b"<<<<<<< a\n",
    "drawn rules": b"|---",
    "a word of capitals": b"A",
}
"""Pieces that are repeated until there are enough bytes, by name."""


def repeated(size: int) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of files that repeat one kind of byte, line or nesting, each of about ``size`` bytes."""
    for name, piece in REPEATED.items():
        yield name, piece * (size // len(piece))
    members = ",".join(f'"k{number % 10}":1' for number in range(size // 7))
    yield "doubled keys", f"{{{members}}}".encode()
    yield "a list of numbers", b"[" + b"1," * (size // 2 - 2) + b"1]"
    parts = min(size // 3, MOST_PARTS) - 2
    yield "a list of objects", b"[" + b"{}," * parts + b"{}]"
    yield "a list of lists", b"[" + b"[]," * parts + b"[]]"
    yield "as many parts as are read, a list of one object after another", b"[{}] " * (parts // 2)
    yield "a text of escapes", b'["' + b"\\u0000" * (size // 6) + b'"]'
    yield "deep and closed", b"[" * (size // 2) + b"]" * (size // 2)
    yield "deep tags closed", b"<a>" * (size // 7) + b"</a>" * (size // 7)
    yield "a number in a list", b"[" + b"1" * size + b"]"
    yield "a score that is none", b"1 Q0 a 1 " + b"1" * size + b"x r\n" + b"1 Q0 b 2 1.5 r\n"
    once = ",".join(f'"k{number}":1' for number in range(size // 11))
    yield "members each once", f"{{{once}}}".encode()
    yield "members each once in a list", f"[{{{once}}}]".encode()
    yield "members each once, three deep", f'{{"a":{{"b":{{"c":{{{once}}}}}}}}}'.encode()
    yield "lines of other members", b"".join(b'{"k%d":1}\n' % number for number in range(size // 12))
    yield "objects of other members", b"[" + b",".join(b'{"k%d":1}' % number for number in range(size // 12)) + b"]"
    yield "a long key", b'{"' + b"k" * size + b'":1}'
    yield "long keys", b"{" + b",".join(b'"%d%s":1' % (number, b"k" * (size // 20)) for number in range(20)) + b"}"
    yield "a long real number", b"[1." + b"1" * size + b"]"
    yield "a large exponent", b"[1e" + b"1" * size + b"]"
    yield "a score of many digits", b"1 Q0 a 1 1." + b"1" * size + b" r\n"
    yield "a rank of many digits", b"1 Q0 a " + b"1" * size + b" 1.5 r\n"
    yield "other tags", b"".join(b"<t%d>a</t%d>" % (number, number) for number in range(size // 17))
    yield "other attributes", b"<a " + b"".join(b'b%d="" ' % number for number in range(size // 11)) + b"></a>"
    yield (
        "a topic of other tags",
        b"<top><num>1</num><title>a</title>"
        + b"".join(b"<t%d>a</t%d>\n" % (number, number) for number in range(size // 18))
        + b"</top>\n",
    )
    yield "a wide table", b"\t".join(b"c%d" % number for number in range(size // 8)) + b"\n1\ta\n"
    yield "other lines", b"".join(b"%d Q0 d%d 1 1.5 a\n" % (number, number) for number in range(size // 24))


def swollen(good: bytes, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of files made from a good one, each of about ``size`` bytes. All of it is repeated, or only
    some of its lines or, in JSON, one of its lists, objects or texts is made large.
    """
    times = max(1, size // max(1, len(good)))
    yield "itself again", good * times
    yield "itself again with a byte order mark", b"\xef\xbb\xbf" + good * times
    yield "itself again in UTF-16", (good * (times // 2)).decode(errors="replace").encode("utf-16")
    lines = good.splitlines(keepends=True)
    for number in sorted({0, len(lines) // 2, len(lines) - 1}):
        line = lines[number].rstrip(b"\n") + b"\n"
        yield (
            f"line {number + 1} again",
            b"".join(lines[:number]) + line * (size // len(line)) + b"".join(lines[number + 1 :]),
        )
        words = line.split()
        for place in sorted({0, len(words) - 1}) if len(words) > 1 else ():
            changed = [
                b" ".join([*words[:place], words[place] + b"%d" % n, *words[place + 1 :]])
                for n in range(size // (len(line) + 5))
            ]
            yield f"line {number + 1} with other words {place + 1}", b"\n".join(changed) + b"\n"
        first = line.find(b" ") + 1
        yield f"line {number + 1} long", line[:first] + b"a b, c. " * (size // 8) + line[first:]
    try:
        value = json.loads(good)
    except ValueError:
        try:
            value = json.loads(lines[0])
        except ValueError:
            return
    yield from _swollen_json(value, size)


def _swollen_json(value: Any, size: int) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    for path, each in _parts(value, ()):
        name = ".".join("#" if isinstance(part, int) else part for part in path) or "$"
        kind = f"{name} {type(each).__name__}"
        if kind in seen:
            continue
        seen.add(kind)
        if isinstance(each, list) and each:
            times = _as_many(each, size)
            yield f"list {name} again", json.dumps(_with(value, path, each * times)).encode()
            yield f"list {name} of others", json.dumps(_with(value, path, _others(each[0], size))).encode()
            yield f"list {name} of nulls", json.dumps(_with(value, path, [None] * (size // 6))).encode()
        elif isinstance(each, dict) and each:
            key, inside = next(iter(each.items()))
            least = len(json.dumps({key: inside})) + 8
            many = {f"{key}{number}": inside for number in range(size // least)}
            yield f"object {name} with many members", json.dumps(_with(value, path, {**each, **many})).encode()
        elif isinstance(each, str):
            yield f"text {name} long", json.dumps(_with(value, path, "a b, c. " * (size // 8))).encode()
            yield f"text {name} of brackets", json.dumps(_with(value, path, "[1] (" * (size // 5))).encode()
        if isinstance(each, list):
            numbers = list(range(size // 9))
            yield f"list {name} of numbers", json.dumps(_with(value, path, numbers)).encode()
        yield f"{name} turned", json.dumps(_with(value, path, [each] * _as_many(each, size))).encode()


def _as_many(value: Any, size: int) -> int:
    """Return how many copies of a value fill the size, but no more than a reader accepts."""
    written = json.dumps(value)
    most = MOST_PARTS * 9 // 10
    return max(1, min(size // (len(written) + 2), most // max(1, written.count("[") + written.count("{"))))


def _others(entry: Any, size: int) -> list[Any]:
    """Return as many copies of an entry as fill the size. Their texts and numbers are all different, except that the
    last copy comes twice.
    """
    count = max(1, size // (len(json.dumps(entry)) + 8))
    found = [_renamed(entry, number) for number in range(count)]
    return [*found, found[-1]]


def _renamed(value: Any, number: int) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(inside, number) for key, inside in value.items()}
    if isinstance(value, list):
        return [_renamed(inside, number) for inside in value]
    if isinstance(value, str):
        return f"{value}{number}"
    return value + number if type(value) in (int, float) else value


def _parts(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _parts(inside, (*path, key))
    elif isinstance(value, list) and value:
        yield from _parts(value[0], (*path, 0))


def _with(value: Any, path: tuple[str | int, ...], put: Any) -> Any:
    if not path:
        return put
    first, rest = path[0], path[1:]
    if isinstance(value, list):
        at = int(first)
        return [*value[:at], _with(value[at], rest, put), *value[at + 1 :]]
    return {**value, first: _with(value[first], rest, put)}
