"""Blog engines of 2005: what a post looks like as a page of each.

Every public function but `body_html` takes a `Sheet` and returns HTML as that kind of site served it: with its
sidebar, its scripts and style sheets, its hidden text and its broken markup.
"""

# ruff: noqa: E501 (the lines of a page are as long as the engines wrote them)

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

_TITLES = re.compile(r"\b(The Salt Orchard|Night Ferry|Hollow Armada)\b")
_NAMES = re.compile(r"\b(Pennywhistle Market|Bluebell &amp; Rook|Ellery Crosstown|Lumarex S5|Castellan Fortress)\b")


@dataclass(frozen=True, slots=True)
class Entry:
    """One post of a page, ready to print: plain text, no marks."""

    title: str
    author: str
    date: str
    paragraphs: tuple[str, ...]
    comments: tuple[tuple[str, str], ...] = ()
    mood: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that a page prints: the blog, its entries, its sidebar, and text that no reader sees."""

    blog: str
    host: str
    title: str
    entries: tuple[Entry, ...]
    charset: str
    roll: tuple[tuple[str, str], ...] = ()
    recent: tuple[str, ...] = ()
    hidden: str = ""
    keywords: str = ""
    extra: dict[str, str] = field(default_factory=dict)


def body_html(text: str) -> str:
    """Return a paragraph as HTML: escaped, titles in italics, the names that people wrote about as links."""
    html = escape(text, quote=False)
    html = _TITLES.sub(r"<i>\1</i>", html)
    return _NAMES.sub(
        lambda m: f'<a href="http://www.{re.sub("[^a-z]", "", m[1].lower())}.example.com/">{m[1]}</a>', html
    )


def _links(pairs: tuple[tuple[str, str], ...], before: str, after: str) -> str:
    return "\n".join(f'{before}<a href="http://{host}/">{escape(name)}</a>{after}' for name, host in pairs)


def _recent(sheet: Sheet, before: str, after: str) -> str:
    return "\n".join(
        f'{before}<a href="/archives/{n}.html">{escape(t)}</a>{after}' for n, t in enumerate(sheet.recent, 101)
    )


def _hidden(sheet: Sheet) -> str:
    return f'<div style="display:none">{escape(sheet.hidden)}</div>' if sheet.hidden else ""


def blogger(sheet: Sheet) -> str:
    """Return XHTML in name only: paragraphs parted by two line breaks, dates as headings, a bar made by a script."""
    posts = []
    for e in sheet.entries:
        comments = "".join(
            f'<dt class="comment-data">At {8 + n % 4}:{17 + n}&nbsp;PM, <b>{escape(name)}</b> said&hellip;</dt>\n'
            f"<dd>{body_html(text)}</dd>\n"
            for n, (name, text) in enumerate(e.comments)
        )
        text = "<br /><br />\n".join(body_html(p) for p in e.paragraphs)
        posts.append(
            f'<h2 class="date-header">{e.date}</h2>\n<div class="post"><a name="p{len(e.title)}"></a>\n'
            f'<h3 class="post-title">{escape(e.title)}</h3>\n<div class="post-body"><div style="clear:both;"></div>{text}'
            f'<div style="clear:both; padding-bottom: 0.25em;"></div></div>\n<p class="post-footer"><em>posted by '
            f"{escape(e.author)} @ 7:4{len(e.title) % 10} PM</em> &nbsp;{len(e.comments)} comments\n</div>"
            + (f'<div id="comments"><h4>{len(e.comments)} Comments:</h4><dl>{comments}</dl></div>' if comments else "")
        )
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset={sheet.charset}" />
<title>{escape(sheet.blog)}: {escape(sheet.title)}</title>
<meta name="keywords" content="{escape(sheet.keywords)}" />
<link rel="stylesheet" type="text/css" href="http://{sheet.host}/blog.css" />
<style type="text/css">
body {{ background:#fffaf0; margin:0; padding:40px 20px; font:small Georgia,serif; text-align:center; color:#333 }}
#content {{ width:660px; margin:0 auto; text-align:left }} #main {{ width:410px; float:left }}
#sidebar {{ width:220px; float:right; font-size:85% }} h1 {{ border:1px solid #ccc; padding:15px; color:#963 }}
.date-header {{ text-transform:uppercase; letter-spacing:.2em; font-size:78%; color:#999 }} .post-title {{ color:#c60 }}
</style>
</head>
<body><script type="text/javascript">document.write("<div id='b-navbar'>Get your own blog | Flag blog</div>");</script>
<h1 id="blog-title">{escape(sheet.blog)}</h1>
{_hidden(sheet)}
<div id="content"><div id="main">
{"".join(posts)}
<a href="/">&lt;&lt; Home</a>
</div>
<div id="sidebar"><h2 class="sidebar-title">Previous Posts</h2><ul>
{_recent(sheet, "<li>", "")}
</ul><h2 class="sidebar-title">Links</h2><ul>
{_links(sheet.roll, "<li>", "</li>")}
</ul><p>Powered by patience</p></div></div>
</body></html>"""


def wordpress(sheet: Sheet) -> str:
    """Return the default theme of the time: a header, a narrow column, numbered comments, a search form in a form."""
    posts = []
    for e in sheet.entries:
        text = "\n".join(f"<p>{body_html(p)}</p>" for p in e.paragraphs)
        comments = "\n".join(
            f'<li class="{"alt" if n % 2 else ""}" id="comment-{40 + n}"><cite>{escape(name)}</cite> Says:<br />'
            f'<small class="commentmetadata">{e.date} at {1 + n}:0{n % 10} pm</small>\n<p>{body_html(c)}</p></li>'
            for n, (name, c) in enumerate(e.comments)
        )
        posts.append(
            f'<div class="post"><h2><a href="?p={len(e.title)}" rel="bookmark">{escape(e.title)}</a></h2>\n'
            f'<small>{e.date} by {escape(e.author)}</small>\n<div class="entry">{text}</div></div>'
            + (
                f'<h3 id="comments">{len(e.comments)} Responses</h3><ol class="commentlist">{comments}</ol>'
                if comments
                else ""
            )
        )
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head profile="http://gmpg.org/xfn/11">
<meta http-equiv="Content-Type" content="text/html; charset={sheet.charset}" />
<title>{escape(sheet.blog)} &raquo; Blog Archive &raquo; {escape(sheet.title)}</title>
<meta name="generator" content="WordPress 1.5.2" /> <!-- leave this for stats -->
<meta name="keywords" content="{escape(sheet.keywords)}" />
<link rel="stylesheet" href="http://{sheet.host}/wp-content/themes/default/style.css" type="text/css" media="screen" />
<style type="text/css">
body {{ font-size:62.5%; font-family:'Lucida Grande',Verdana,sans-serif; background:#d5d6d7; color:#333; text-align:center }}
#page {{ background:#fff; border:1px solid #959596; margin:20px auto; width:760px; text-align:left }}
#header {{ background:#73a0c5; height:120px; padding:1px 0 }} #header h1 {{ text-align:center; padding-top:30px; color:#fff }}
.narrowcolumn {{ width:450px; padding:0 0 20px 45px; font-size:1.2em; line-height:1.5em }}
#sidebar {{ width:190px; font-size:1em; padding-right:15px }} .alt {{ background:#f8f8f8; padding:.5em }}
.screen {{ display:none }}
</style>
</head>
<body><div id="page">
<div id="header"><h1><a href="http://{sheet.host}/">{escape(sheet.blog)}</a></h1></div>
<div style="float:right" id="sidebar"><form method="get" action="/"><form><input type="text" name="s" /><input type="submit" value="Search" /></form></form>
<h2>Recent Posts</h2><ul>
{_recent(sheet, "<li>", "</li>")}
</ul><h2>Blogroll</h2><ul>
{_links(sheet.roll, "<li>", "</li>")}
</ul><h2>Meta</h2><ul><li>Log in<li>Valid XHTML</ul></div>
<div id="content" class="narrowcolumn">
<p class="screen">{escape(sheet.hidden)}</p>
{"".join(posts)}
</div><hr /><div id="footer"><p>{escape(sheet.blog)} is proudly powered by WordPress</p></div></div></body></html>"""


def movabletype(sheet: Sheet) -> str:
    """Return a page of two columns, with trackbacks, a form for comments, and times to the minute."""
    posts = []
    for e in sheet.entries:
        text = "\n\n".join(f"<p>{body_html(p)}</p>" for p in e.paragraphs)
        comments = "".join(
            f'<div class="comments-body"><p>{body_html(c)}</p><span class="comments-post">Posted by: <b>{escape(name)}</b> '
            f"at {e.date} 0{1 + n % 9}:{20 + n} PM</span></div>\n"
            for n, (name, c) in enumerate(e.comments)
        )
        posts.append(
            f'<h2 class="date">{e.date}</h2>\n<h3 class="title">{escape(e.title)}</h3>\n<div class="blogbody">{text}\n'
            f'<div class="posted">Posted by {escape(e.author)} at 09:1{len(e.title) % 10} AM | TrackBack (0)</div></div>'
            + (f'<div class="comments-head"><a name="comments"></a>Comments</div>{comments}' if comments else "")
        )
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" id="sixapart-standard">
<head><meta http-equiv="Content-Type" content="text/html; charset={sheet.charset}" />
<meta name="generator" content="http://www.movabletype.org/" />
<title>{escape(sheet.blog)}: {escape(sheet.title)}</title>
<link rel="stylesheet" href="http://{sheet.host}/styles-site.css" type="text/css" />
<link rel="alternate" type="application/atom+xml" title="Atom" href="http://{sheet.host}/atom.xml" />
<style type="text/css">
body {{ margin:0; background:#f3f1e7 url(http://{sheet.host}/bg.gif); font-family:Verdana,Arial,sans-serif; font-size:12px }}
#banner {{ background:#5a6b3b; color:#fff; padding:15px }} #center {{ margin:0 200px 0 20px; padding:15px; background:#fff }}
#right {{ position:absolute; right:10px; top:90px; width:170px }} .date {{ border-bottom:1px dotted #999; font-size:small }}
.posted, .comments-post {{ color:#777; font-size:x-small }} .title {{ color:#5a6b3b }}
</style>
<script type="text/javascript" language="javascript">
<!--
function OpenTrackback (c) {{ window.open(c, 'trackback', 'width=480,height=480,scrollbars=yes,status=yes'); }}
// -->
</script>
</head>
<body><div id="banner"><h1>{escape(sheet.blog)}</h1></div>
<div id="center">{"".join(posts)}
<!-- {escape(sheet.hidden)} -->
<form method="post" action="http://{sheet.host}/mt-comments.cgi" name="comments_form"><p>Post a comment</p>
Name: <input name="author" /><br />Comments:<br /><textarea rows="4" cols="40"></textarea><br /><input type="submit" value="Post" /></form>
</div>
<div id="right"><h4>Recent Entries</h4>{_recent(sheet, "", "<br />")}
<h4>Elsewhere</h4>{_links(sheet.roll, "", "<br />")}</div>
</body></html>"""
