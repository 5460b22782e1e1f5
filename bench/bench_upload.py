"""Measure the upload of a large run on a served site, from the browser's form to the end of the check.

    .venv/bin/python -m bench.bench_upload [--topics 7000] [--port 8790] [--keep FOLDER] [--json FILE]

Serves an ad hoc campaign of --topics topics with `manage.py serve` on 127.0.0.1 (7,000 topics are a file of 500 MB, 400
are 29 MB; port 0 is any free port). An organiser logs in, posts the run of `bench.bench_large_runs` by the form as a
browser does, and opens the run's page until the check has ended. Prints the seconds of sending and of the check, what
the page said meanwhile, the peak memory of the server's and the worker's processes, and the most disk space that was
used besides the stored file. For comparison, a plain WSGI program takes the same bytes and writes them to a file. At
last a file that is larger than the site allows is announced, and the answer is printed with the bytes that were sent
until it came.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.bench_large_runs import DEPTH, TAG, lines
from bench.figures import Figure, add_json_option, write
from bench.servers import free_port, wait_for

SENDING = Figure(name="sending", what="sending a run by the form", against="a program that writes the bytes")
SERVER = Figure(name="server", what="memory of a server process that takes it", unit="MB")
WORKER = Figure(name="worker", what="memory of the worker that checks it", unit="MB")
FIGURES = (SENDING, SERVER, WORKER)

SLUG, NAME, WORD = "large", "organiser", "long-enough-for-a-bench"
CHUNK = 1 << 20
BOUNDARY = "a-bench-of-uploads"
PLAIN = (
    "import sys\n"
    "from wsgiref.simple_server import make_server\n"
    "def take(environ, start):\n"
    "    left, source = int(environ['CONTENT_LENGTH']), environ['wsgi.input']\n"
    "    with open(sys.argv[2], 'wb') as file:\n"
    "        while left and (piece := source.read(min(left, 1 << 20))):\n"
    "            left -= len(piece)\n"
    "            file.write(piece)\n"
    "    start('200 OK', [('Content-Length', '0')])\n"
    "    return [b'']\n"
    "make_server('127.0.0.1', int(sys.argv[1]), take).serve_forever()\n"
)


def main() -> None:
    """Make the site, serve it, send the run while memory and disk are watched, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=7000)
    parser.add_argument("--port", type=int, default=8790)
    parser.add_argument("--keep", type=Path)
    add_json_option(parser)
    options = parser.parse_args()
    port = options.port or free_port()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        folder = options.keep or Path(place)
        os.environ["ASSAY_DATA_DIR"] = str(folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        run = write_run(folder / "run.txt", options.topics)
        make(options.topics)
        print(f"{run.stat().st_size:,} bytes", flush=True)
        served = subprocess.Popen([sys.executable, "manage.py", "serve", "--port", str(port)])
        try:
            watch = Watch(served.pid, folder)
            sent = measure(Browser(port), run, watch)
        finally:
            served.terminate()
            served.wait(timeout=60)
        written = plain(run, folder / "plain", free_port() if options.port == 0 else port + 1)
        shape: dict[str, Any] = {"size": run.stat().st_size // 1_000_000, "of": "MB"}
        held = {name: size / 1e6 for name, size in watch.memory.items()}
        found = [
            SENDING.measured([sent / written], took=[sent], **shape),
            SERVER.measured([held.get("a server process", 0.0)], **shape),
            WORKER.measured([held.get("the worker", 0.0)], **shape),
        ]
        write(options.json, found)


def measure(browser: Browser, run: Path, watch: Watch) -> float:
    """Send the run, open its page until the check has ended, and announce a file that is too large. Return the seconds
    of sending.
    """
    browser.log_in()
    watch.start()
    begin = time.perf_counter()
    page = browser.send_run(run)
    sent = time.perf_counter() - begin
    print(f"sent\t{sent:.1f} s", flush=True)
    begin = time.perf_counter()
    seen: list[str] = []
    while True:
        state, words = browser.state(page)
        if words and (not seen or seen[-1] != words):
            seen.append(words)
        if state != "checking":
            break
        time.sleep(1)
    print(f"check\t{time.perf_counter() - begin:.1f} s\t{state}; its page said {len(seen)} times how far it is")
    print(*(f"\t{words}" for words in seen[:: max(1, len(seen) // 4)]), sep="\n")
    watch.stop()
    print(*(f"most memory of {name}\t{size / 1e6:.0f} MB" for name, size in sorted(watch.memory.items())), sep="\n")
    print(f"most disk beside what is kept\t{(watch.disk - run.stat().st_size) / 1e6:.0f} MB", flush=True)
    print(browser.send_too_much(), flush=True)
    return sent


def plain(run: Path, target: Path, port: int) -> float:
    """Send the run to a program that only writes the bytes to a file, and return the seconds."""
    server = subprocess.Popen([sys.executable, "-c", PLAIN, str(port), str(target)], stderr=subprocess.DEVNULL)
    wait_for(port)
    begin = time.perf_counter()
    with run.open("rb") as file:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        connection.request("POST", "/", body=file, headers={"Content-Length": str(run.stat().st_size)})
        connection.getresponse().read()
    seconds = time.perf_counter() - begin
    print(f"plain\t{seconds:.1f} s", flush=True)
    server.terminate()
    server.wait(timeout=60)
    return seconds


class Watch:
    """Looks ten times a second at the memory of a process's children and at the size of the data folder. ``memory``
    holds the peak by kind of process, and ``disk`` by how many bytes the folder grew at most.
    """

    def __init__(self, pid: int, folder: Path) -> None:
        self.pid, self.folder = pid, folder
        self.memory: dict[str, int] = {}
        self.disk = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self.before = _size(self.folder)
        self.thread.start()

    def stop(self) -> None:
        """Stop looking, and wait until the last look has ended."""
        self.is_over.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.is_over.wait(0.1):
            for pid in _children(self.pid):
                words = Path(f"/proc/{pid}/cmdline").read_bytes() if Path(f"/proc/{pid}").exists() else b""
                name = "the worker" if b"db_worker" in words else "a server process"
                self.memory[name] = max(self.memory.get(name, 0), _resident(pid))
            self.disk = max(self.disk, _size(self.folder) - self.before)


def _children(pid: int) -> Iterator[int]:
    try:
        own = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in map(int, own):
        yield child
        yield from _children(child)


def _resident(pid: int) -> int:
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def _size(folder: Path) -> int:
    """Return the bytes of all files in a folder. A file with several names is counted once."""
    found: dict[int, int] = {}
    for path in folder.rglob("*"):
        try:
            stat = path.stat()
        except OSError:
            continue
        if path.is_file():
            found[stat.st_ino] = stat.st_size
    return sum(found.values())


class Browser:
    """Sends requests as a browser does: with cookies, and the token of the form."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        wait_for(port)

    def log_in(self) -> None:
        """Log the organiser in. Ends the program if this is refused."""
        token = self._token("/login/")
        body = f"csrfmiddlewaretoken={token}&username={NAME}&password={WORD}".encode()
        status, _, _ = self._ask("POST", "/login/", body, {"Content-Type": "application/x-www-form-urlencoded"})
        if status != 302:
            raise SystemExit(f"logging in was answered by {status}")

    def send_run(self, run: Path) -> str:
        """Post the form with the file, and return the address of the run's page. Ends the program if this is
        refused.
        """
        token = self._token(f"/c/{SLUG}/runs/new/")
        fields = {"csrfmiddlewaretoken": token, "team": "Harbor", "tag": TAG, "automatic": "yes"}
        head = "".join(
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        head += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="run.txt"\r\n\r\n'
        tail = f"\r\n--{BOUNDARY}--\r\n"
        length = len(head) + run.stat().st_size + len(tail)

        def body() -> Iterator[bytes]:
            yield head.encode()
            with run.open("rb") as file:
                while piece := file.read(CHUNK):
                    yield piece
            yield tail.encode()

        headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Content-Length": str(length)}
        status, answered, text = self._ask("POST", f"/c/{SLUG}/runs/new/", body(), headers)
        if status != 302:
            raise SystemExit(f"the run was answered by {status}: {text[-2000:]}")
        return str(answered["location"])

    def state(self, page: str) -> tuple[str, str]:
        """Return the run's state ("checking", "accepted" or "rejected"), and how far the check is as its page says, or
        "" if it says nothing.
        """
        status, _, text = self._ask("GET", page)
        if status != 200:
            raise SystemExit(f"{page} was answered by {status}")
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))
        if found := re.search(r"[\d,]+ lines read", words):
            return "checking", found[0]
        states = ("being checked", "accepted", "rejected")
        found_state = next(state for state in states if state in words)
        return ("checking", "") if found_state == "being checked" else (found_state, "")

    def send_too_much(self) -> str:
        """Announce ten times as many bytes as a site takes, send until sending breaks off, and return the answer in
        words.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest("POST", f"/c/{SLUG}/runs/new/")
        connection.putheader("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")
        connection.putheader("Content-Length", str(5_000_000_000))
        connection.endheaders()
        begin, sent = time.perf_counter(), 0
        try:
            for _ in range(5_000):
                connection.send(b"x" * CHUNK)
                sent += CHUNK
        except OSError as error:
            print(f"sending broke off: {error}")
        answer = connection.getresponse()
        words = answer.read().decode()
        seconds = time.perf_counter() - begin
        return f"too much\t{seconds:.1f} s\t{answer.status} after {sent / 1e6:,.0f} MB of 5,000: {words}"

    def _token(self, path: str) -> str:
        _, _, text = self._ask("GET", path)
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', text)
        if found is None:
            raise SystemExit(f"{path} has no form")
        return found[1]

    def _ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body=body, headers={**(headers or {}), "Cookie": cookie})
        answer = connection.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        found = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, found, answer.read().decode(errors="replace")


def write_run(path: Path, topics: int) -> Path:
    """Write the run unless the file exists, and return its path."""
    if not path.exists():
        with path.open("w") as file:
            file.writelines(lines(topics, DEPTH, mixed=False))
    return path


def make(topics: int) -> None:
    """Create the campaign with its topics and its organiser, unless the database holds it."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from assess.models import Campaign, Membership, Topic

    call_command("migrate", verbosity=0)
    if Campaign.objects.filter(slug=SLUG).exists():
        return
    organiser = User.objects.create_user(NAME, password=WORD)
    campaign = Campaign.objects.create(slug=SLUG, title="Large", track="adhoc")
    Membership.objects.create(campaign=campaign, user=organiser, role="organiser")
    Topic.objects.bulk_create(
        Topic(campaign=campaign, task="ranking", number=f"{number}_1", text=f"Topic {number}", ordinal=number)
        for number in range(1, topics + 1)
    )


if __name__ == "__main__":
    main()
