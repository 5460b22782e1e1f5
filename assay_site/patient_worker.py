"""A gunicorn worker that slow clients can't block: a thread starts only once a request has arrived.

Gunicorn's own worker gives a request a thread at its first byte; the thread then waits for the rest as long as the
client likes, and twelve half-sent requests stopped a site with eight threads. Here the loop that waits for all
connections collects heads, and bodies of up to `HELD` bytes. A request that is incomplete after `PATIENCE` seconds is
closed. A thread reads larger bodies, since they go to the disk; the clients of such uploads must send `SLOWEST` bytes a
second on average. The system closes a connection that does not accept an answer for `PATIENCE` seconds.

Neither can long requests: at most half of the threads take uploads, at most half take pages that were not quick the
last time or were never asked for, and one thread takes neither. So nobody who judges waits for a thread until a page of
scores is made or a download is over.

It differs from gunicorn's threaded worker in three methods. A proxy in front of a public site can take more: whole
bodies, and thousands of connections (docs/running-a-site.md).
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-call, union-attr"
# (gunicorn says little of its types)
import errno
import re
import selectors
import socket
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

PATIENCE = 20.0
"""Seconds for a head and a small body, on top of the time for the slowest upload, and for accepting an answer."""

HELD = 256 * 1024
"""The most bytes of a request that are held in memory until it is complete."""

SLOWEST = 16 * 1024
"""The least bytes a second of an upload, on average."""

MOST = 500
"""The most connections whose requests are being collected; for a further one, the oldest is closed."""

QUICK = 0.25
"""Seconds in which a page was answered, its download included, if it is quick."""

KNOWN = 10_000
"""The most addresses of pages that a process remembers as quick. With more, it begins again."""

UPLOAD, PAGE = "upload", "page"
"""The two kinds of requests that may be long."""

STEP_BACK = 0.002
"""The most seconds that a process with connections waits before it takes another: one with fewer comes first."""

_HEAD_LIMIT = 64 * 1024
_READ = 64 * 1024
_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_PAGE = re.compile(rb"(?:GET|HEAD) ([^ ?]*)")
_NUMBER = re.compile(rb"\d+")
_NOT_TOLD = re.compile(rb"\r\n(?:transfer-encoding|expect):", re.IGNORECASE)
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class TimedSocket(socket.socket):
    """A client's socket. A thread that reads from it waits no longer than the slowest permitted upload would take."""

    def __init__(self, taken: socket.socket) -> None:
        super().__init__(taken.family, taken.type, taken.proto, fileno=taken.detach())
        self.begin()
        if self.family != socket.AF_UNIX and hasattr(socket, "TCP_USER_TIMEOUT"):
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(PATIENCE * 1000))

    def begin(self) -> None:
        """Reset the counters for a new request."""
        self.waited, self.got = 0.0, 0

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Return the next bytes. Raises ConnectionResetError if the client is too slow, as if it had closed the
        connection.
        """
        if self.gettimeout() is not None:
            return super().recv(size, flags)
        began = time.monotonic()
        self.settimeout(max(PATIENCE + self.got / SLOWEST - self.waited, 0.001))
        try:
            found = super().recv(size, flags)
        except TimeoutError as error:
            raise ConnectionResetError(errno.ECONNRESET, "the client sends too slowly") from error
        finally:
            self.settimeout(None)
            self.waited += time.monotonic() - began
        self.got += len(found)
        return found


class PatientWorker(ThreadWorker):
    """Gunicorn's threaded worker, but one that collects a whole request before giving it a thread."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.gathered: dict[TConn, tuple[float, bytearray]] = {}  # the oldest first
        self.running: dict[str, set[TConn]] = {UPLOAD: set(), PAGE: set()}
        self.queued: dict[str, deque[TConn]] = {UPLOAD: deque(), PAGE: deque()}
        self.asked: dict[TConn, bytes] = {}  # which page, by its address with every number 0
        self.quick: set[bytes] = set()

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, unless a process with fewer connections takes it first.

        All processes are told of it at the same moment, and the one that happens to be awake would take them all.
        """
        time.sleep(STEP_BACK * self.nr_conns / (self.nr_conns + 8))
        super().accept(listener)

    def enqueue_req(self, conn: TConn) -> None:
        """Collect what a client sends over a new or reused connection. A thread gets the request when it is
        complete.
        """
        if self.cfg.is_ssl:  # the bytes are encrypted
            super().enqueue_req(conn)
            return
        if not isinstance(conn.sock, TimedSocket):
            conn.sock = TimedSocket(conn.sock)
        conn.sock.begin()
        conn.sock.setblocking(False)
        begun = bytearray(conn.parser.unreader.take_buffered() if conn.parser is not None else b"")
        if len(self.gathered) >= MOST:
            self._close(next(iter(self.gathered)))
        self.gathered[conn] = (time.monotonic() + PATIENCE, begun)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._gather, conn))
        if begun:
            self._look(conn)

    def murder_pending(self) -> None:
        """Close the connections whose requests were not complete in time. When the worker stops, also close those over
        which nothing was sent yet.
        """
        super().murder_pending()
        now = time.monotonic()
        for conn, (until, begun) in list(self.gathered.items()):
            if until < now or not (self.alive or begun):
                self._close(conn)

    def handle(self, conn: TConn) -> Any:
        """Answer a request in a thread, as gunicorn does, and remember whether a page was quick."""
        began = time.monotonic()
        answered = super().handle(conn)
        page = self.asked.pop(conn, None)
        if page is not None and time.monotonic() - began < QUICK:
            if len(self.quick) >= KNOWN:
                self.quick.clear()
            self.quick.add(page)
        elif page is not None:
            self.quick.discard(page)
        return answered

    def finish_request(self, conn: TConn, fs: Future[Any]) -> None:
        """Finish a request as gunicorn does, but first start the long requests that are waiting and now have room.
        Pages whose clients have left are dropped.
        """
        for kind, running in self.running.items():
            running.discard(conn)
            while self.queued[kind] and self._has_room(kind):
                waiting = self.queued[kind].popleft()
                if kind == PAGE and _has_left(waiting):
                    self._drop(waiting)
                else:
                    self._begin(waiting, kind)
        super().finish_request(conn, fs)

    def _gather(self, conn: TConn, _client: Any) -> None:
        try:
            found = conn.sock.recv(_READ)
        except BlockingIOError:
            return
        except OSError:
            found = b""
        if not found:
            self._close(conn)
            return
        self.gathered[conn][1].extend(found)
        self._look(conn)

    def _look(self, conn: TConn) -> None:
        """Pass on the request of this connection if it is complete, or if its body is too large to be collected in
        memory. If its head is too long, refuse it.
        """
        begun = self.gathered[conn][1]
        end = begun.find(_END)
        if end < 0:
            if len(begun) > _HEAD_LIMIT:
                self._refuse(conn)
            return
        head = bytes(begun[: end + len(_END)])
        length = _LENGTH.search(head)
        body = int(length[1]) if length is not None else 0
        is_upload = body > HELD or _NOT_TOLD.search(head) is not None
        if not is_upload and len(begun) < len(head) + body:
            return
        self._let_go(conn)
        conn.init()
        conn.parser.unreader.unread(bytes(begun))
        conn.data_ready = True
        kind = UPLOAD if is_upload else self._kind_of(conn, head)
        if not kind:
            super().enqueue_req(conn)
        elif self._has_room(kind):
            self._begin(conn, kind)
        else:
            self.queued[kind].append(conn)

    def _kind_of(self, conn: TConn, head: bytes) -> str:
        """Return `PAGE` if a page is asked for that is not known to be quick, else "". Remember which page it is, to
        time it.
        """
        found = _PAGE.match(head)
        if found is None:
            return ""
        page = self.asked[conn] = _NUMBER.sub(b"0", found[1])
        return "" if page in self.quick else PAGE

    def _has_room(self, kind: str) -> bool:
        """Return whether one more request of this kind may have a thread. However many of the other kind there are,
        one of each can run.
        """
        threads: int = self.cfg.threads
        long = sum(map(len, self.running.values()))
        return len(self.running[kind]) < max(1, threads // 2) and long < max(2, threads - 1)

    def _begin(self, conn: TConn, kind: str) -> None:
        self.running[kind].add(conn)
        super().enqueue_req(conn)

    def _drop(self, conn: TConn) -> None:
        """Close the connection of a client that no longer waits for its page."""
        self.asked.pop(conn, None)
        self.nr_conns -= 1
        conn.close()

    def _refuse(self, conn: TConn) -> None:
        with suppress(OSError):
            conn.sock.send(_TOO_LARGE)
        self._close(conn)

    def _let_go(self, conn: TConn) -> None:
        self.gathered.pop(conn)
        self.poller.unregister(conn.sock)

    def _close(self, conn: TConn) -> None:
        self._let_go(conn)
        self.nr_conns -= 1
        conn.close()


def _has_left(conn: TConn) -> bool:
    """Return whether a client has closed its connection, as a browser does when its page is loaded again."""
    conn.sock.setblocking(False)
    try:
        next_byte: bytes = conn.sock.recv(1, socket.MSG_PEEK)
        return not next_byte
    except BlockingIOError:
        return False
    except OSError:
        return True
