"""Somebody at a page without scripts: follows links, fills fields in by their labels, presses buttons."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from lxml import html

SUBMITS = ("input", "select", "textarea")


class PageReader:
    """One person's browser. What can't be found fails with what there is instead."""

    def __init__(self) -> None:
        self.client = Client()
        self.page: Any = None
        self.address, self.content = "", b""
        self.filled: dict[str, str] = {}

    def open(self, address: str) -> None:
        """Open an address of the site."""
        self._show(self.client.get(address, follow=True), address)

    def follow(self, name: str) -> None:
        """Follow the link with this name."""
        self.open(urljoin(self.address, _named(self.page.iter("a"), name).get("href")))

    def fill(self, label: str, value: str) -> None:
        """Have a value ready for the field with this label: a text, the beginning of a choice, the path of a file."""
        self.filled[label] = value

    def press(self, name: str) -> None:
        """Press the button with this name, in the form that has all that was filled in."""
        buttons = [each for each in self.page.iter("button") if self._fields(each) >= set(self.filled)]
        button = _named(buttons, name)
        form = _form_of(button)
        data = _sent(form)
        data.update({self._field(form, label).get("name"): self._value(form, label) for label in self.filled})
        if button.get("name"):
            data[button.get("name")] = button.get("value", "")
        address = urljoin(self.address, form.get("action") or self.address)
        method = self.client.post if form.get("method", "get").lower() == "post" else self.client.get
        self._show(method(address, data, follow=True), address)

    @property
    def words(self) -> str:
        """All that the page says."""
        return _words(self.page)

    def _show(self, response: Any, address: str) -> None:
        assert response.status_code == 200, (address, response.status_code)
        self.address = response.redirect_chain[-1][0] if response.redirect_chain else address
        self.content = b"".join(response.streaming_content) if response.streaming else response.content
        self.filled = {}
        if response["Content-Type"].startswith("text/html"):
            self.page = html.fromstring(self.content)

    def _label(self, field: Any) -> str:
        named = self.page.xpath("//label[@for=$name]", name=field.get("id", "")) or field.xpath("ancestor::label")
        return _words(named[0]).removesuffix(" (optional)") if named else ""

    def _fields(self, button: Any) -> set[str]:
        form = _form_of(button)
        if form is None:
            return set()
        groups = {_words(each) for each in form.iter("legend")}
        return groups | {self._label(each) for each in form.iter(*SUBMITS)}

    def _field(self, form: Any, label: str) -> Any:
        found = [each for each in form.iter(*SUBMITS) if self._label(each) == label]
        return found[0] if found else form.xpath(".//fieldset[normalize-space(legend)=$name]//input", name=label)[0]

    def _value(self, form: Any, label: str) -> Any:
        field, value = self._field(form, label), self.filled[label]
        if field.get("type") == "file":
            return SimpleUploadedFile(Path(value).name, Path(value).read_bytes())
        if field.tag == "select":
            return _named(field.iter("option"), value).get("value")
        if field.get("type") == "radio":
            choices = [each for each in form.iter("input") if each.get("name") == field.get("name")]
            return next(each.get("value") for each in choices if self._label(each).startswith(value))
        return value


def _words(element: Any) -> str:
    return " ".join(" ".join(element.itertext()).split())


def _named(elements: Any, name: str) -> Any:
    """The element that is called so; else the one whose name begins so, as a key or what it is about may follow it."""
    named = [(_words(each), each) for each in elements]
    found = [each for words, each in named if words == name] or [
        each for words, each in named if words.startswith(name)
    ]
    assert found, f"there is no “{name}” among {[words for words, _ in named]}"
    return found[0]


def _form_of(button: Any) -> Any:
    return next(button.iterancestors("form"), None)


def _sent(form: Any) -> dict[str, Any]:
    """What a form sends as it stands."""
    sent: dict[str, Any] = {}
    for field in form.iter(*SUBMITS):
        name, kind = field.get("name"), field.get("type")
        if not name or kind in ("file", "submit"):
            continue
        if kind in ("checkbox", "radio"):
            if field.get("checked") is not None:
                sent.setdefault(name, []).append(field.get("value", "on"))
        elif field.tag == "input":
            sent.setdefault(name, []).append(field.get("value", ""))
        elif isinstance(field.value, str):
            sent.setdefault(name, []).append(field.value)
    return sent
