"""Calls of the API in their order, which are kept as the examples of its description and compared with those."""

from __future__ import annotations

import json
import os
import re
from itertools import zip_longest
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.api_shapes import description
from tests.generated_client import GUIDE

KEPT = GUIDE.with_name("api-examples.json")
WRITES = "ASSAY_WRITE_EXAMPLES" in os.environ
FOLDER = Path(__file__).resolve().parent / "data" / "tracks" / "adhoc"
FOLDERS = {"maple.txt": "runs/good", "oak.txt": "runs/good", "qrels.txt": "expected"}
OTHER_EACH_TIME = {
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)": "2026-12-01T10:15:00Z",
    r"\d{4}-\d\d-\d\d(?!T)": "2026-12-01",
    r"http://testserver/": "https://assay.example.org/",
    r"/(invitation|password)/[^/]+/$": r"/\1/nX4vT0kq/",
    r"\b[0-9a-f]{64}\b": f"{'5e':0<62}8d",
    r"\d+\.\d+\.\d+\+[0-9a-f]+": "1.0.0",
}
"""What is another in each run, and what stands for it."""
DRAWN = {"token": "nX4vT0kq", "secret": "q8ZrUe2m", "request_id": "40f5b6ee367cf120"}
"""Members whose text is drawn, and what stands for it."""
COUNTED = {
    "list",
    "id",
    "item",
    "thing",
    "items",
    "assignment",
    "object_id",
    "machine",
    "as_of",
    "since",
    "score",
    "docno",
    "call",
    "next",
    "answer_class",
}
"""Members whose numbers depend on what the database held before, or on an order that is drawn."""
SHUFFLED = {"values"}
"""Members whose order is drawn: which side of a disagreement stands left."""


class Story:
    """Calls in their order, each kept as the example of its operation or compared with the one that is kept."""

    def __init__(self, client: Client, name: str, *, part: str = "") -> None:
        self.client, self.name, self.story = client, name, part or name
        self.made: dict[str, Any] = {}
        self.files: dict[str, bytes] = {}

    def __call__(
        self, operation: str, path: str, body: Any = None, *, by: User, status: int = 200, name: str = ""
    ) -> Any:
        """Make the call, and return its answer as it came. Of several of one operation the first is kept, and those
        that have a name, which begins with the operation's.
        """
        self.client.force_login(by)
        method, described = operation_of(operation)
        content = described.get("requestBody", {}).get("content", {})
        address = path if path.startswith("/api/") else f"/api/v1/campaigns/{self.name}/{path}"
        send = getattr(self.client, method)
        if body is None or "application/json" in content:
            answer = send(address, *([] if body is None else [body]), content_type="application/json")
        else:
            answer = send(address, {name: self._part(value) for name, value in body.items()})
        assert answer.status_code == status, (operation, answer.content.decode())
        is_json = answer["Content-Type"].endswith("json")
        told = answer.json() if is_json else _text_of(answer)
        call = {"call": f"{method.upper()} {address}", **({} if body is None else {"body": body})}
        self.made.setdefault(name or operation, _tidy({**call, "status": status, "answer": told}))
        return told

    def _part(self, value: Any) -> Any:
        """A part of a form: a file where it begins with “@”, as for curl."""
        if not (isinstance(value, str) and value.startswith("@")):
            return value
        name = value[1:]
        if name in MADE:
            return SimpleUploadedFile(name, MADE[name]())
        content = self.files.get(name) or (FOLDER / FOLDERS.get(name, ".") / name).read_bytes()
        return SimpleUploadedFile(name, content)

    def compare(self) -> None:
        """Compare all calls with those that are kept, or keep them."""
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        others = {name: each for name, each in kept.items() if story_of(each) != self.story}
        self.made = {name: each for name, each in self.made.items() if name not in others}
        if WRITES:
            same = {name: kept[name] for name, each in self.made.items() if _is_alike(each, kept.get(name))}
            KEPT.write_text(json.dumps({**others, **self.made, **same}, indent=1, ensure_ascii=False) + "\n")
            lines = "\n".join(guide_lines())
            GUIDE.write_text(LINES.sub(lambda found: f"{found[1]}{lines}\n", GUIDE.read_text()))
            return
        mine = {name: each for name, each in kept.items() if name not in others}
        wrong = [
            (name, each, mine.get(name)) for name, each in self.made.items() if not _is_alike(each, mine.get(name))
        ]
        assert (wrong, mine.keys() - self.made.keys()) == ([], set()), "run ASSAY_WRITE_EXAMPLES=yes, as above"


LINES = re.compile(r"(## A campaign, call by call\n\n(?:\S.+\n)+\n)(?:    .+\n)+")
"""The calls in the guide; first what is said of them."""


def guide_lines() -> list[str]:
    """The calls as the guide has them, each with its body."""
    return [
        "    " + "  ".join([each["call"], *([json.dumps(each["body"], ensure_ascii=False)] if "body" in each else [])])
        for each in json.loads(KEPT.read_text()).values()
        if story_of(each) == "bees"
    ]


def story_of(example: dict[str, Any]) -> str:
    """The story that an example belongs to: by its resource, or else the campaign that is called."""
    for resource, story in {"classes": "classes", "imports": "wasps", "backups": "wasps"}.items():
        if f"/{resource}/" in example["call"]:
            return story
    found = re.search(r"campaigns/(\w+)/", example["call"])
    return found[1] if found else "bees"


def operation_of(name: str) -> tuple[str, dict[str, Any]]:
    (found,) = [
        (method, operation)
        for methods in description()["paths"].values()
        for method, operation in methods.items()
        if operation["operationId"] == name.split()[0]
    ]
    return found


def documents() -> bytes:
    texts = ((path.stem, path.read_text()) for path in sorted((FOLDER / "documents").iterdir()))
    return "".join(
        f"<DOC>\n<DOCNO> {name} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n" for name, text in texts
    ).encode()


MADE = {"documents.sgml": documents, "release.zip": lambda: b"PK"}
"""Files that are made, each by its function."""


def _text_of(answer: Any) -> str:
    """The content of a file, or what is said of it where it is no text."""
    content = b"".join(answer)
    return f"the bytes of {answer['Content-Disposition']}" if content.startswith(b"PK") else content.decode()


def _tidy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: DRAWN[name] if each and name in DRAWN else _tidy(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_tidy(each) for each in value]
    if isinstance(value, str):
        for pattern, instead in OTHER_EACH_TIME.items():
            value = re.sub(pattern, instead, value)
    return value


def _is_alike(made: Any, kept: Any, name: str = "") -> bool:
    """Whether a call is the one that is kept, but for numbers that are others each time."""
    if isinstance(made, dict) and isinstance(kept, dict):
        return made.keys() == kept.keys() and all(_is_alike(made[each], kept[each], each) for each in made)
    if isinstance(made, list) and isinstance(kept, list):
        if name in SHUFFLED:
            made, kept = sorted(made), sorted(kept)
        return all(_is_alike(*each, name) for each in zip_longest(made, kept))
    if name == "client_key":  # an answer's may be made of the request's and of such a number
        return _key_or_other(made) == _key_or_other(kept)
    if name in COUNTED:
        return re.sub(r"\d+", "1", f"{made}") == re.sub(r"\d+", "1", f"{kept}")
    return bool(made == kept)


def _key_or_other(value: Any) -> Any:
    return "a key" if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", f"{value}") else value


def key(name: str) -> str:
    return str(uuid5(NAMESPACE_OID, name))
