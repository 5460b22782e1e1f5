"""Which hosts a page may load from: those it refers to, and none of the site's or of the reader's own network."""

from __future__ import annotations

import pytest

from assess.rendering.csp import MOST_HOSTS, document_policy, remote_sources


def sources(page: str) -> tuple[str, ...]:
    return remote_sources(page, is_own=lambda host: host == "assay.example.org")


def test_hosts_that_a_page_refers_to() -> None:
    page = (
        '<link rel="stylesheet" href="http://a.example/s.css"><img src="https://B.example:8443/x.gif">'
        '<img srcset="http://c.example/1 1x, https://d.example/2 2x"><td background="http://user@e.example/b.gif">'
        '<style>p { background: url("http://f.example/i.png") } @import url(http://g.example/t.css);</style>'
        '<p style="background: url(&quot;http://h.example/&quot;)">http://text.example/ '
        '<a href="#assay-link" data-assay-target="http://link.example/">x</a><img src="http://bücher.example/">'
    )
    assert sources(page) == (
        "http://a.example", "http://c.example", "http://e.example", "http://f.example", "http://g.example",
        "http://h.example", "http://xn--bcher-kva.example", "https://b.example:8443", "https://d.example",
    )  # fmt: skip


@pytest.mark.parametrize(
    "host",
    [
        "assay.example.org", "ASSAY.example.org:8443", "user:word@assay.example.org", "ａｓｓａｙ.example.org",
        "assay.example.org.", "%61ssay.example.org", "localhost", "localhost:8000", "intranet", "127.0.0.1", "127.1",
        "2130706433", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1", "10.0.0.7", "192.168.1.1:8080", "169.254.169.254",
        "[::1]", "[2001:db8::1]", "", "a..example", "-a.example", "a.example;script-src", "*.example", "*",
        "assay.localhost:8000", "printer.local", "nas.LAN", "wiki.corp.internal", "router.home.arpa",
    ],
)  # fmt: skip
def test_hosts_that_are_left_out(host: str) -> None:
    assert sources(f'<img src="http://{host}/x.gif">') == ()


def test_a_public_address_is_a_host_like_others() -> None:
    assert sources('<img src="http://8.8.8.8/x.gif">') == ("http://8.8.8.8",)


def test_the_most_named_hosts_are_kept_where_there_are_too_many() -> None:
    many = "".join(f'<img src="http://host{number}.example/">' for number in range(MOST_HOSTS + 50))
    found = sources(many + '<img src="http://often.example/">' * 2)
    assert len(found) == MOST_HOSTS
    assert "http://often.example" in found


def test_long_names_of_hosts_do_not_make_a_header_that_proxies_refuse() -> None:
    long = ".".join(["x" * 60] * 4)
    found = sources("".join(f'<img src="http://h{number}.{long}/">' for number in range(MOST_HOSTS)))
    assert found
    assert len(document_policy(platform_origin="https://assay.example.org", sources=found)) < 4000
