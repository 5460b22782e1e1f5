"""More blog engines of 2005: journals, tables, hand-written pages, strict XHTML, feeds. See `engines`."""

# ruff: noqa: E501 (see engines)

from __future__ import annotations

from html import escape

from bench.demo_runs.engines import Sheet, _hidden, _links, _recent, blogger, body_html, movabletype, wordpress


def livejournal(sheet: Sheet) -> str:
    """Return HTML 4 with tables, font tags, moods, threads of comments in nested tables, and cells left open."""
    rows = []
    for e in sheet.entries:
        text = "<br><br>".join(body_html(p) for p in e.paragraphs)
        thread = "".join(
            f'<table border=0 cellpadding=3 width="100%"><tr><td width={25 * (n % 3)}>&nbsp;<td bgcolor="#d0e0f0">'
            f"<font size=-1><b>{escape(name)}</b><br>{e.date} 0{3 + n % 6}:1{n % 10} am (local)</font></tr>"
            f"<tr><td><td>{body_html(c)}<br><font size=-2>(<a href=#>Reply to this</a>) (<a href=#>Thread</a>)</font></table>\n"
            for n, (name, c) in enumerate(e.comments)
        )
        mood = f"<p><b>Current Mood:</b> {escape(e.mood)}" if e.mood else ""
        rows.append(
            f'<tr><td bgcolor="#e8eef6"><font face="Trebuchet MS, Verdana" size="+1"><b>{escape(e.title)}</b></font><br>'
            f'<font size=-1><i>[{e.date}]</i></font><tr><td><font face="Verdana" size=2>{text}{mood}</font><hr>{thread}'
        )
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><title>{escape(sheet.blog)}: {escape(sheet.title)}</title>
<meta http-equiv=content-type content="text/html; charset={sheet.charset}">
<meta name=keywords content="{escape(sheet.keywords)}"></head>
<body bgcolor="#b0c4de" text="#202030" link="#203080" vlink="#603080">
<center><font size=5 face="Trebuchet MS"><b>{escape(sheet.blog)}</b></font><br><font size=-1><a href=#>Recent Entries</a> | <a href=#>Archive</a> | <a href=#>Friends</a> | <a href=#>User Info</a></font></center>
<span style="visibility:hidden">{escape(sheet.hidden)}</span>
<table align=center width="80%" bgcolor=white cellpadding=10 border=1 bordercolor="#405070">
{"".join(rows)}
<tr><td><font size=-1>Friends: {_links(sheet.roll, "", " | ")}</font>
</table></body></html>"""


def handmade(sheet: Sheet) -> str:
    """Return HTML without a document type: capitals, tags left open or closed in the wrong order, a counter."""
    parts = []
    for e in sheet.entries:
        parts.append(
            f"<A NAME=top><H2><FONT COLOR=#800000>{escape(e.title)}</H2></FONT>\n<I>{escape(e.author)}, {e.date}</I>\n"
        )
        parts.extend(f"<P>{body_html(p)}\n" for p in e.paragraphs)
        if e.comments:
            parts.append("<HR WIDTH=50% ALIGN=left><B><FONT SIZE=-1>What you wrote to me:</B></FONT><DL>")
            parts.extend(f"<DT><B>{escape(name)}<DD></B>{body_html(c)}\n" for name, c in e.comments)
            parts.append("</DL>")
    return f"""<HTML><HEAD><TITLE>{escape(sheet.blog)} - {escape(sheet.title)}</TITLE>
<META NAME="description" CONTENT="{escape(sheet.keywords)}">
<STYLE><!-- BODY {{ font-family: "Times New Roman"; margin-left: 12% }} H1 {{ text-align: center }} .c {{ display: none }} --></STYLE>
<SCRIPT LANGUAGE="JavaScript">window.status = "Welcome to {sheet.host}!"; // no more questions</SCRIPT>
</HEAD><BODY BGCOLOR=#FFFFEE TEXT=black BACKGROUND="http://{sheet.host}/paper.jpg">
<H1>{escape(sheet.blog)}</H1>
<MARQUEE WIDTH=60%>Updated when I feel like it</MARQUEE>
<CENTER>[ <A HREF=index.html>Home</A> | <A HREF=old.html>Old pages</A> | <A HREF=guest.html>Guest book</A> ]</CENTER>
<DIV CLASS=c>{escape(sheet.hidden)}</DIV>
<TABLE WIDTH=90%><TR><TD VALIGN=top>
{"".join(parts)}
<TD VALIGN=top WIDTH=150 BGCOLOR=#EEEECC><B>Friends</B><BR>
{_links(sheet.roll, "", "<BR>")}
<BR><B>Before</B><BR>{_recent(sheet, "- ", "<BR>")}
<P><IMG SRC="http://{sheet.host}/counter.gif" ALT="visitor no. 00{len(sheet.host) * 311}">
</TABLE>
<NOSCRIPT>Please turn on scripts to see the snow.</NOSCRIPT>
</BODY>"""


def typepad(sheet: Sheet) -> str:
    """Return well-formed XHTML 1.0 Strict."""
    posts = []
    for e in sheet.entries:
        text = "\n".join(f"<p>{body_html(p)}</p>" for p in e.paragraphs)
        comments = "\n".join(f'<p>{body_html(c)}</p><p class="sig">{escape(n)} | {e.date}</p>' for n, c in e.comments)
        posts.append(
            f'<div class="entry"><h3>{escape(e.title)}</h3>\n{text}\n<p class="sig">{escape(e.author)} on {e.date}</p></div>'
            + (f'<div class="comments"><h4>Comments</h4>{comments}</div>' if comments else "")
        )
    return f"""<?xml version="1.0" encoding="{sheet.charset}"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head>
<title>{escape(sheet.blog)}: {escape(sheet.title)}</title>
<style type="text/css">/*<![CDATA[*/
body {{ font: 14px/1.5 Georgia, serif; max-width: 44em; margin: 2em auto; color: #222; background: #fdfcf8 }}
h1 {{ font-weight: normal; border-bottom: 3px double #8a9 }} .sig {{ color: #798; font-size: .8em; font-style: italic }}
.comments {{ border-left: 4px solid #dde5dd; padding-left: 1em }}
/*]]>*/</style></head>
<body><h1>{escape(sheet.blog)}</h1>
{"".join(posts)}
<div id="nav"><h4>Also by me</h4><ul>{_recent(sheet, "<li>", "</li>")}</ul><h4>I read</h4><ul>{_links(sheet.roll, "<li>", "</li>")}</ul></div>
{_hidden(sheet)}
</body></html>"""


def tables(sheet: Sheet) -> str:
    """Return a newspaper's page: layout by nested tables and spacers, an advertisement, font tags throughout."""
    posts = []
    for e in sheet.entries:
        text = "".join(
            f'<p><font face="Times New Roman, Times" size="3">{body_html(p)}</font></p>\n' for p in e.paragraphs
        )
        comments = "".join(
            f'<tr><td bgcolor="{"#ffffff" if n % 2 else "#f0f0e8"}"><font size="2"><b>{escape(name)}</b>: {body_html(c)}</font></td></tr>\n'
            for n, (name, c) in enumerate(e.comments)
        )
        posts.append(
            f'<font size="5"><b>{escape(e.title)}</b></font><br><font size="1" color="#666666">{escape(e.author)} &#183; {e.date}</font>'
            f'{text}<table width="100%" border="0" cellspacing="0" cellpadding="4">{comments}</table>'
        )
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html><head><title>{escape(sheet.title)} | {escape(sheet.blog)}</title>
<meta http-equiv="Content-Type" content="text/html; charset={sheet.charset}">
<meta name="keywords" content="{escape(sheet.keywords)}">
<link rel=stylesheet href="http://{sheet.host}/print.css" media=print>
</head><body marginwidth="0" leftmargin="0" topmargin="0">
<table width="100%" bgcolor="#003366" cellpadding="8"><tr><td><font color="#ffffff" size="6" face="Garamond, Times">{escape(sheet.blog)}</font></td>
<td align="right"><table border="1" bgcolor="#ffff99"><tr><td><font size="1">ADVERTISEMENT</font><br><b>Furnace broken?</b> Call Hub Heating, day or night.</td></tr></table></td></tr></table>
<!-- begin story {escape(sheet.hidden)} -->
<table width="780" cellpadding="12"><tr><td width="150" valign="top" bgcolor="#e6ecf2"><font size="2"><b>Sections</b><br>News<br>Letters<br>Weblog<br>Tides<br>
<br><b>Elsewhere</b><br>{_links(sheet.roll, "", "<br>")}<br><b>Recent</b><br>{_recent(sheet, "", "<br>")}</font></td>
<td valign="top">{"<hr>".join(posts)}</td></tr></table>
<img src="http://{sheet.host}/spacer.gif" width="1" height="40"></body></html>"""


def spaces(sheet: Sheet) -> str:
    """Return a site-builder's page: floating modules with inline styles, a script, and hidden text off the screen."""
    posts = []
    for e in sheet.entries:
        text = "".join(f'<div style="margin-bottom:9px;line-height:150%">{body_html(p)}</div>' for p in e.paragraphs)
        comments = "".join(
            f'<div style="border-top:1px solid #ecc;padding:4px"><span style="color:#c06;font-weight:bold">{escape(n)}</span> {body_html(c)}</div>'
            for n, c in e.comments
        )
        posts.append(
            f'<div class="bvMod" style="background:#fff;padding:10px;margin-bottom:10px"><div style="color:#999;font-size:11px">{e.date}</div>'
            f'<div style="font-size:18px;color:#c06">{escape(e.title)}</div>{text}{comments}</div>'
        )
    return f"""<html><head><title>{escape(sheet.title)} - {escape(sheet.blog)}</title>
<meta http-equiv="Content-Type" content="text/html; charset={sheet.charset}"><meta name="keywords" content="{escape(sheet.keywords)}">
<script>var ctx = {{"space": "{sheet.host}", "lang": "en"}}; function onLoad() {{ try {{ Spaces.boot(ctx) }} catch (e) {{}} }}</script>
</head><body onload="onLoad()" style="background:#fde8ef;font-family:Tahoma,sans-serif;font-size:12px;margin:0">
<div style="background:#c06;color:#fff;padding:14px;font-size:24px">{escape(sheet.blog)}</div>
<div style="width:560px;float:left;margin:12px">{"".join(posts)}</div>
<div style="width:180px;float:left;margin:12px;background:#fff;padding:8px"><b>Friends</b><br>{_links(sheet.roll, "", "<br>")}<b>Older</b><br>{_recent(sheet, "", "<br>")}</div>
<div style="position:absolute;left:-4000px">{escape(sheet.hidden)}</div></body></html>"""


def feed(sheet: Sheet) -> str:
    """Return RSS 2.0, crawled as if it were a page; each paragraph of the one entry is an item."""
    (entry,) = sheet.entries
    items = "\n".join(
        f"<item><title>{escape(head)}</title><link>http://{sheet.host}/{n}</link>"
        f"<description>{escape(rest or head)}</description></item>"
        for n, (head, _, rest) in enumerate((p.partition(". ") for p in entry.paragraphs), 1)
    )
    return f"""<?xml version="1.0" encoding="{sheet.charset}"?>
<rss version="2.0"><channel><title>{escape(sheet.blog)}</title><link>http://{sheet.host}/</link>
<description>{escape(entry.title)}</description>
{items}
</channel></rss>"""


ENGINES = {
    "blogger": blogger, "wordpress": wordpress, "movabletype": movabletype, "livejournal": livejournal,
    "handmade": handmade, "typepad": typepad, "tables": tables, "spaces": spaces, "feed": feed,
}  # fmt: skip
