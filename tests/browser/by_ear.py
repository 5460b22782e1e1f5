"""A bench as somebody has it who can't see it: what has the focus, by role and name, and what is announced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

LISTEN = """
  const LIVE = "[role=status], [role=alert], [aria-live]";
  const words = (region) => region.innerText.replace(/\\s+/g, " ").replaceAll(" .", ".").trim();
  window.announced = [];
  window.addEventListener("load", () => {
    const before = new WeakMap([...document.querySelectorAll(LIVE)].map((region) => [region, words(region)]));
    new MutationObserver((records) => {
      const touched = records.map(({ target }) => (target.closest ? target : target.parentElement)?.closest(LIVE));
      for (const region of new Set(touched.filter(Boolean))) {
        if (region.ariaLive === "off" || !region.checkVisibility() || before.get(region) === words(region)) continue;
        before.set(region, words(region));
        if (words(region)) window.announced.push(words(region));
      }
    }).observe(document, { childList: true, characterData: true, subtree: true });
  });
"""
"""What a screen reader does with live regions: what stands there when the page comes is not announced."""
ARROWS = {"→": "ArrowRight", "←": "ArrowLeft", "↓": "ArrowDown", "↑": "ArrowUp"}
TRIES, PAUSE_MS = 200, 50
NOT_SAVED = re.compile("not saved", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Focus:
    """What has the focus, as it is in the tree: its words are its name, else what is in it."""

    role: str
    words: str
    description: str


class Ear:
    """Hears a page from its next loading on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session: Any = page.context.new_cdp_session(page)
        page.add_init_script(LISTEN)

    def open(self, address: str) -> None:
        self.page.goto(address)

    def press(self, key: str) -> str:
        """Press a key; what it has announced, which is one thing and nothing that is not saved."""
        self.page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")  # "busy", a screen reader says
        self._heard()
        self.page.keyboard.press(key)
        self.page.wait_for_function("() => window.announced.length")
        (found,) = self.heard()
        assert not NOT_SAVED.search(found)
        return found

    def type(self, text: str) -> str:
        """Type into a field; what was announced last of it."""
        self._heard()
        self.page.keyboard.type(text)
        self.page.wait_for_function("() => window.announced.length")
        return self._heard()[-1]

    def heard(self) -> list[str]:
        """What is announced until nothing more comes: what was sent is answered, and a moment went by."""
        found = self._heard()
        for _ in range(TRIES):
            self.page.wait_for_load_state("networkidle")
            self.page.wait_for_timeout(2 * PAUSE_MS)
            more = self._heard()
            if not more:
                break
            found += more
        return found

    def _heard(self) -> list[str]:
        found: list[str] = self.page.evaluate("() => window.announced.splice(0)")
        return found

    def _tree(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.session.send("Accessibility.getFullAXTree")["nodes"]
        return found

    def focus(self) -> Focus:
        nodes = self._tree()
        by_id = {node["nodeId"]: node for node in nodes}

        def words(node: dict[str, Any]) -> str:
            inner = [words(by_id[each]) for each in node.get("childIds", []) if each in by_id]
            return _said(node, "name") or " ".join(each for each in inner if each)

        node = [node for node in nodes if _has_focus(node)][-1]
        return Focus(role=_said(node, "role"), words=words(node), description=_said(node, "description"))

    def key_of(self, role: str, name: str) -> str:
        """The key of a control, which stands in its name: "4 correct", "Mark as done f"; "9" is its own."""
        for _ in range(TRIES):
            names = [_said(node, "name") for node in self._tree() if _said(node, "role") == role]
            keys = [found[1] or found[2] or name for found in map(_form_of(name).fullmatch, names) if found]
            for key in sorted(keys, key=lambda key: key == name):
                return ARROWS.get(key, key)
            self.page.wait_for_timeout(PAUSE_MS)
        raise AssertionError(f"there is no {role} “{name}”")

    def at(self, *, words: str = "", description: str = "") -> Focus:
        """Wait until the focus is on something with these words and with this said of it."""
        found = self.focus()
        for _ in range(TRIES):
            if words in found.words and description in found.description:
                return found
            self.page.wait_for_timeout(PAUSE_MS)
            found = self.focus()
        raise AssertionError(f"the focus is on {found}")

    def finish(self) -> None:
        """Press the key of "Mark as done", which is there once all is done; the list of work says that it is."""
        self.page.keyboard.press(self.key_of("button", "Mark as done"))
        expect(self.page.get_by_role("status").filter(has_text="Done. Thank you.")).to_have_count(1)


def _said(node: dict[str, Any], of: str) -> str:
    return str(node.get(of, {}).get("value", ""))


def _has_focus(node: dict[str, Any]) -> bool:
    return any(each["name"] == "focused" and each["value"]["value"] for each in node.get("properties", []))


def _form_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:(\S+) )?{re.escape(name)}(?: (\S+))?")
