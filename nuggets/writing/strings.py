"""Show a string's document beside the work, and read posted sources; shared by the benches for nuggets and matches."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from assess.assignments.access import access_assignment, access_work_item
from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import handle_of, marked_in
from assess.base.errors import NotFound
from assess.campaigns.seats import Seat, access_seat
from assess.documents.access import access_document
from assess.documents.models import Document
from assess.documents.queries.search import topic_terms
from assess.documents.views.pane import Pane, make_pane
from assess.items.models import Item
from assess.judging.queries.blind_responses import response_parts
from assess.runs.models import Citation
from assess.web.page import render_page
from assess.web.requests import posted_number, posted_text
from nuggets.writing.bench import docnos_named


@login_required
@require_GET
def string_document(request: HttpRequest, slug: str, assignment_id: int, handle: int) -> HttpResponse:
    """Return the document of one string, as the HTML fragment that the benches include. Answers "not found" for an
    unknown string.
    """
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    item = access_work_item(assignment, handle)
    template = "nuggets/writing/parts/string_document.html"
    return render_page(request, template, seat, assignment=assignment, **opened_values(request, assignment, item))


def opened_string(request: HttpRequest, assignment: Assignment) -> Item | None:
    """Return the string whose document the address asks to open ("document=17"). Return None if it asks for none, or
    for a string that this work does not have.
    """
    asked = request.GET.get("document", "")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 19):
        return None
    try:
        return access_work_item(assignment, int(asked))
    except NotFound:
        return None


@login_required
@require_GET
def topic_document(request: HttpRequest, slug: str, assignment_id: int, docno: str) -> HttpResponse:
    """Return a document to be read beside the work, as the HTML fragment that the bench for nuggets includes. Answers
    "not found" for a document that is not loaded.
    """
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    values = document_values(request, assignment, access_document(seat, docno))
    return render_page(request, "nuggets/writing/parts/string_document.html", seat, assignment=assignment, **values)


def document_values(request: HttpRequest, assignment: Assignment, document: Document) -> dict[str, Any]:
    """Return the values of `nuggets/writing/parts/string_document.html` for a document that was opened by itself rather
    than for a string. The pane first shows the document as text; its page can be chosen.

    The words of the topic are marked. A document that the topic names, such as the paper of a claim, opens at the
    sentence that is most like the topic.
    """
    topic = assignment.topic
    terms, named = topic_terms(topic), document.docno in docnos_named(topic)
    answer = topic.text if named else ""
    pane = make_pane(request, document, answer=answer, terms=terms, words=" ".join(terms), first="text")
    return {
        "opened": None,
        "opened_docno": document.docno,
        "pane": pane,
        "opened_query": f"&doc={quote(document.docno)}",
    }


def opened_values(request: HttpRequest, assignment: Assignment, item: Item | None) -> dict[str, Any]:
    """Return the values of `nuggets/writing/parts/string_document.html` for a string's document, except the assignment.

    A string without a document of its own opens one that it cites: the one that the address names, or else the first.
    """
    if item is None:
        return {"opened": None}
    query = f"&document={handle_of(assignment, item.pk)}"
    cited = {} if item.docno else _cited(assignment, item)
    if not cited:
        return {"opened": item, "pane": _pane_of(request, assignment, item), "opened_query": query}
    asked = request.GET.get("cited", "")
    docno = asked if asked in cited else next(iter(cited))
    document = Document.objects.get(campaign=assignment.campaign_id, docno=docno)
    document.campaign = assignment.campaign
    return {
        "opened": item,
        "pane": make_pane(request, document, answer=cited[docno], terms=topic_terms(assignment.topic)),
        "opened_query": f"{query}&cited={quote(docno)}",
        "cited": list(cited),
    }


def _cited(assignment: Assignment, item: Item) -> dict[str, str]:
    """Return the loaded documents that a string cites, each with the words that cite it first. Two queries."""
    said: dict[str, str] = {}
    for part in response_parts(item, assignment.campaign):
        for each in part.documents:
            if each.is_here:
                said.setdefault(each.docno, part.text)
    if not said:
        here = Document.objects.filter(campaign=assignment.campaign_id).values("docno")
        found = Citation.objects.filter(segment__item=item, docno__in=here).order_by("segment", "ordinal")
        said = dict.fromkeys(found.values_list("docno", flat=True), item.text)
    return said


def _pane_of(request: HttpRequest, assignment: Assignment, item: Item) -> Pane | None:
    """Return the pane of a string's document with the string marked in it, or None if the document is not loaded."""
    if item.document is None:
        return None
    item.document.campaign = assignment.campaign
    terms, marked = topic_terms(assignment.topic), marked_in(assignment, item)
    return make_pane(request, item.document, answer=item.text, terms=terms, marked=marked)


def posted_source(request: HttpRequest, seat: Seat, assignment: Assignment) -> tuple[Item | None, Document | None]:
    """Return (item, document) of which a form names one as the source of a nugget; the other is None.

    Both are None if the form names neither, and the item is taken if it names both. Refuses a string or document that
    does not exist.
    """
    item = access_work_item(assignment, posted_number(request, "item")) if request.POST.get("item") else None
    docno = posted_text(request, "docno")
    return item, access_document(seat, docno) if docno and item is None else None
