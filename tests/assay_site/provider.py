"""A provider of OpenID Connect and a mail server, started by the tests on 127.0.0.1."""

from __future__ import annotations

import hashlib
import json
import socketserver
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

CLIENT, SECRET = "assay", "a secret that only the two of them know"


@dataclass
class Provider:
    """Where it is, who is logged in there, and which of its addresses were asked."""

    address: str
    person: dict[str, str] = field(default_factory=lambda: {"sub": "4711", "preferred_username": "ada"})
    asked: list[str] = field(default_factory=list)
    challenge: str = ""
    redirects: bool = False
    tells_people: bool = True
    """Whether it has an address that says who somebody is. Otherwise the ID token alone says it."""
    instead: dict[str, str] = field(default_factory=dict)
    """What it answers at an address in place of what it should."""
    drips: str = ""
    """The address at which it sends a header and then a byte now and then, without end."""

    def configured(self) -> list[dict[str, Any]]:
        """Return the setting by which a site asks it."""
        app = {"provider_id": "provider", "name": "the University", "client_id": CLIENT, "secret": SECRET}
        return [{**app, "settings": {"server_url": self.address}}]


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that is there for as long as the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            told.asked.append(parts.path)
            if told.redirects and parts.path.startswith("/.well-known"):
                self.send_response(302)
                self.send_header("Location", f"{told.address}/elsewhere")
                self.end_headers()
            elif parts.path == "/authorize":
                query = {name: value[0] for name, value in parse_qs(parts.query).items()}
                told.challenge = query["code_challenge"]
                self.send_response(302)
                back = urlencode({"code": "a code", "state": query["state"]})
                self.send_header("Location", f"{query['redirect_uri']}?{back}")
                self.end_headers()
            elif parts.path == "/userinfo":
                self._answer(told.person if self.headers["Authorization"] == "Bearer an access token" else {})
            else:
                names = {"authorization": "authorize", "token": "token"}
                names |= {"userinfo": "userinfo"} if told.tells_people else {}
                ends = {f"{name}_endpoint": f"{told.address}/{end}" for name, end in names.items()}
                self._answer({"issuer": told.address, "jwks_uri": f"{told.address}/keys", **ends})

        def do_POST(self) -> None:
            told.asked.append(self.path)
            sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            digest = hashlib.sha256(sent["code_verifier"][0].encode()).digest()
            proof = urlsafe_b64encode(digest).rstrip(b"=").decode()
            if proof != told.challenge or sent["client_secret"] != [SECRET]:
                self._answer({"error": "invalid_grant"}, status=400)
                return
            claims = {"iss": told.address, "aud": CLIENT, "exp": int(time.time()) + 60, "iat": int(time.time())}
            signed = jwt.encode({**claims, **told.person}, SECRET, algorithm="HS256")
            self._answer({"access_token": "an access token", "token_type": "Bearer", "id_token": signed})

        def _answer(self, value: object, status: int = 200) -> None:
            if urlsplit(self.path).path == told.drips:
                self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
                while told.drips:
                    self.wfile.write(b"x")
                    time.sleep(0.05)
                return
            content = told.instead.get(urlsplit(self.path).path, json.dumps(value)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    told = Provider(address=f"http://127.0.0.1:{server.server_port}")
    with running(server):
        yield told


@contextmanager
def mail_server() -> Iterator[tuple[int, list[str]]]:
    """A mail server that is there for as long as the block: its port, and the mails that came."""
    came: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline():
                word = line[:4].upper().strip()
                if word == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    lines = iter(self.rfile.readline, b".\r\n")
                    came.append(b"".join(lines).decode())
                self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 well\r\n")
                if word == b"QUIT":
                    return

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with running(server):
        yield server.server_address[1], came


@contextmanager
def running(server: socketserver.BaseServer) -> Iterator[None]:
    """A server that answers for as long as the block."""
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
