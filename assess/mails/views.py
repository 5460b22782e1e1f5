"""The page on which people choose their notices by mail."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from assess.base.errors import NotFound
from assess.mails.domain import want_notices
from assess.mails.queries import NOTICES, wanted_notices
from assess.web.page import render_page
from assess.web.requests import person_of


class NoticesForm(forms.Form):
    """Asks which notices a person wants."""

    notices = forms.MultipleChoiceField(
        label=gettext_lazy("What you want to be told"),
        choices=list(NOTICES.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def mail_notices(request: HttpRequest) -> HttpResponse:
    """Show and change the person's notices. The page does not exist if the site has no mail addresses."""
    if not settings.ASSAY_PASSWORD_MAIL:
        raise NotFound
    person = person_of(request)
    form = NoticesForm(request.POST if request.method == "POST" else None, initial={"notices": wanted_notices(person)})
    if form.is_valid():
        want_notices(actor=person, **form.cleaned_data)
        messages.success(request, gettext("Your choice is saved."))
        return redirect("mail-notices")
    has_address = EmailAddress.objects.filter(user=person, verified=True, primary=True).exists()
    status = 422 if form.errors else 200
    return render_page(request, "registration/mail_notices.html", form=form, has_address=has_address, status=status)
