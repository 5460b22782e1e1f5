"""The organisers' pages of webhooks: all of them with a form for a new one, and each with the calls to it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import Invalid, Refused
from assess.campaigns.seats import access_as_organiser
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.web.table import make_listing
from assess.webhooks.access import access_call, access_webhook
from assess.webhooks.domain import add_webhook, remove_webhook, require_allowed, send_again, try_webhook
from assess.webhooks.forms import WebhookForm
from assess.webhooks.queries import counted_webhooks


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """List the webhooks, add one, and show the secret of a new one, once."""
    seat = access_as_organiser(request.user, slug)
    form, made = WebhookForm(request.POST if request.method == "POST" else None), None
    if form.is_valid():
        try:
            made = add_webhook(actor=seat.user, campaign=seat.campaign, **form.cleaned_data)
            form = WebhookForm()
        except Refused as refused:
            add_refusal(form, refused)
    return render_page(
        request,
        "assess/webhooks/webhooks.html",
        seat,
        hooks=counted_webhooks(seat.campaign),
        form=form,
        made=made,
        allowed=settings.ASSAY_WEBHOOKS,
        status=422 if form.errors else 200,
    )


@login_required
@require_safe
def webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Show the calls to one address, newest first, and why nothing is sent there if the site no longer allows it."""
    seat = access_as_organiser(request.user, slug)
    hook = access_webhook(seat, webhook_id)
    refusal = ""
    try:
        require_allowed(hook.url)
    except Invalid as refused:
        refusal = refused.message
    calls = make_listing(request, hook.calls.all(), sorts={"at": "id"}, default="-at")
    return render_page(request, "assess/webhooks/webhook.html", seat, hook=hook, refusal=refusal, listing=calls)


@login_required
@require_POST
def webhook_try(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Have a `ping` sent to the address of a webhook."""
    seat = access_as_organiser(request.user, slug)
    try_webhook(actor=seat.user, webhook=access_webhook(seat, webhook_id))
    messages.success(request, gettext("A ping is sent as soon as the worker is free. Reload to see what came of it."))
    return redirect("webhook", slug, webhook_id)


@login_required
@require_POST
def webhook_again(request: HttpRequest, slug: str, webhook_id: int, call_id: int) -> HttpResponse:
    """Have a call sent again."""
    seat = access_as_organiser(request.user, slug)
    send_again(actor=seat.user, call=access_call(seat, webhook_id, call_id))
    messages.success(
        request, gettext("The call is sent again as soon as the worker is free. Reload to see what came of it.")
    )
    return redirect("webhook", slug, webhook_id)


@login_required
@require_POST
def webhook_remove(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Remove a webhook with the record of its calls, if the box that says so is ticked. Otherwise say that nothing was
    done.
    """
    seat = access_as_organiser(request.user, slug)
    hook = access_webhook(seat, webhook_id)
    if request.POST.get("sure") != "yes":
        messages.error(request, gettext("Nothing was removed. Tick the box if the list of calls may be deleted."))
        return redirect("webhook", slug, webhook_id)
    remove_webhook(actor=seat.user, webhook=hook)
    messages.success(request, gettext("The webhook is removed: nothing more is sent to its address."))
    return redirect("webhooks", slug)
