"""The page of the user agreement: participants read and accept it; organisers write it and see which team accepted
when.
"""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from assess.base.errors import Refused
from assess.campaigns.models import Part, Role
from assess.campaigns.seats import Seat, access_as_organiser, access_seat
from assess.user_agreements.domain import NOTE_LIMIT, accept_user_agreement, agreement_values, set_user_agreement
from assess.user_agreements.queries import agreement_in_force, parts_behind_agreement, team_answers
from assess.web.made_from import MadeFromForm
from assess.web.page import render_page
from assess.web.requests import posted_number, posted_text

MEMBERS = (Role.ORGANISER, Role.PARTICIPANT)


class AgreementForm(MadeFromForm):
    """Asks for the agreement's text, and for what is closed until a team accepts it."""

    text = forms.CharField(
        label=gettext_lazy("Text"),
        widget=forms.Textarea(attrs={"rows": 16}),
        strip=False,
        required=False,
        max_length=200_000,
        help_text=gettext_lazy("Another text is a new version, which every team accepts anew."),
    )
    parts = forms.MultipleChoiceField(
        label=gettext_lazy("Closed until the team has accepted"),
        choices=[(part.value, capfirst(part.label)) for part in Part],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


class PaperForm(forms.Form):
    """Asks for a team that signed on paper."""

    team = forms.ChoiceField(label=gettext_lazy("Team"))
    note = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=NOTE_LIMIT,
        required=False,
        help_text=gettext_lazy("Where the signed form is."),
    )


@login_required
@require_safe
def user_agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the agreement in force: to participants with their team's acceptance, to organisers with all of them."""
    return _page(request, access_seat(request.user, slug, *MEMBERS))


@login_required
@require_POST
def user_agreement_accept(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept for one's own team or, as organiser, for a team that signed on paper."""
    seat = access_seat(request.user, slug, *MEMBERS)
    version = posted_number(request, "version")
    given = {name: posted_text(request, name) for name in ("team", "note")} if seat.is_organiser else {}
    made = accept_user_agreement(actor=seat.user, campaign=seat.campaign, version=version, **given)
    messages.success(request, gettext("%(team)s has accepted the user agreement.") % {"team": made.team})
    return redirect("user-agreement", slug)


@login_required
@require_POST
def user_agreement_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish the text, and store the parts that require it. If that is refused, show the form with the reason."""
    seat = access_as_organiser(request.user, slug)
    form = AgreementForm(request.POST, present={})
    if form.is_valid():
        values = {**form.cleaned_data, "text": form.cleaned_data["text"].replace("\r\n", "\n")}
        try:
            set_user_agreement(actor=seat.user, campaign=seat.campaign, **values)
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(request, gettext("The user agreement is saved."))
            return redirect("user-agreement", slug)
    return _page(request, seat, form=form)


def _page(request: HttpRequest, seat: Seat, *, form: AgreementForm | None = None) -> HttpResponse:
    newest = agreement_in_force(seat.campaign)
    answers = team_answers(seat.campaign, newest)
    own = [each for each in answers if each.team in seat.teams]
    paper = None
    if seat.is_organiser:
        form = form or AgreementForm(present=agreement_values(seat.campaign, newest))
        paper = PaperForm(auto_id="paper_%s")
        paper.fields["team"].choices = [(a.team, a.team) for a in answers if a.acceptance is None]  # type: ignore[attr-defined]
    return render_page(
        request,
        "assess/user_agreements/user_agreement.html",
        seat,
        agreement=newest,
        answers=answers if seat.is_organiser else own,
        waiting=[each for each in own if each.acceptance is None],
        closed=[part.label for part in parts_behind_agreement(seat.campaign)],
        form=form,
        paper=paper if newest is not None and paper is not None and paper.fields["team"].choices else None,  # type: ignore[attr-defined]
        status=422 if form is not None and form.errors else 200,
    )
