"""The form that chooses how a pool is made. It checks the shape of the input; `make_selection` knows the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from django import forms
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.forms import BoundField
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from assess.base.errors import BadFile, Refused
from assess.base.files import open_file, store_file
from assess.base.numbers import grouped_lazy
from assess.pools.domain.strategy import BATCH, FIELDS, WHOLE, Selection, make_selection, read_listed, read_pairs
from assess.web.forms import UploadField
from assess.web.number_fields import DecimalField, WholeNumberField
from scoring.pooling.recipe import MOST
from scoring.reading.unpacking import uncompressed

LABELS = {
    WHOLE: (
        gettext_lazy("As the track does"),
        gettext_lazy("the first documents of every run, to the depth of the settings"),
    ),
    "depth": (gettext_lazy("Depth"), gettext_lazy("the first documents of every run")),
    "depth-order": (
        gettext_lazy("A fixed number in depth order"),
        gettext_lazy("a fixed number of documents for each topic, first ranks before second ones"),
    ),
    "priority": (
        gettext_lazy("Depth by run priority"),
        gettext_lazy("the same, each priority with a depth of its own"),
    ),
    "rrf": (
        gettext_lazy("Reciprocal rank fusion"),
        gettext_lazy("a fixed number of documents for each topic, best where many runs rank them high"),
    ),
    "rbp": (gettext_lazy("RBP fusion"), gettext_lazy("the same, weighted by a patient or impatient reader")),
    "stratified": (
        gettext_lazy("Stratified sample"),
        gettext_lazy("all of the top and a part of the rest, for inferred measures"),
    ),
    "move-to-front": (
        gettext_lazy("Move to front"),
        gettext_lazy("grows while it is judged: stays with a run as long as it finds"),
    ),
    "max-mean": (
        gettext_lazy("Max-mean bandit"),
        gettext_lazy("grows while it is judged: always from the run that found most so far"),
    ),
}
GROUPS = (
    (gettext_lazy("How much"), ("depth", "depths", "budget", "batch")),
    (
        gettext_lazy("How documents are weighed or drawn"),
        ("k", "p", "combine", "strata", "strata_by", "seed", "relevant_from"),
    ),
)
LIST_SALT = "pool-list"


def _whole(label: Any, help_text: Any, *, least: int = 1, most: int = MOST) -> WholeNumberField:
    field = WholeNumberField(label=label, help_text=help_text, required=False, min_value=least, max_value=most)
    field.error_messages["invalid"] = format_lazy(
        gettext_lazy("Write a whole number from {least} to {most}."), least=grouped_lazy(least), most=grouped_lazy(most)
    )
    return field


class PoolForm(forms.Form):
    """Asks for a strategy, its numbers, lists to add, and what is left out."""

    strategy = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=[(key, format_lazy("{}: {}", label, text)) for key, (label, text) in LABELS.items()],
    )
    depth = _whole(gettext_lazy("Depth"), gettext_lazy("How many documents of each run are looked at."))
    depths = forms.CharField(
        label=gettext_lazy("Depths by priority"),
        max_length=1000,
        required=False,
        help_text=gettext_lazy("Priority and depth, as in 1:100,2:50."),
    )
    budget = _whole(gettext_lazy("Budget"), gettext_lazy("The most documents of a topic."))
    batch = _whole(
        gettext_lazy("Batch"),
        format_lazy(
            gettext_lazy("How many a topic begins with and grows by; {batch} where you say none."), batch=BATCH
        ),
        most=1000,
    )
    k = _whole("k", gettext_lazy("A document earns 1 / (k + rank) in each run; 60 where you say none."), least=0)
    p = DecimalField(
        label="p", required=False, help_text=gettext_lazy("Persistence, between 0 and 1; 0.8 where you say none.")
    )
    combine = forms.ChoiceField(
        label=gettext_lazy("Weights of runs"),
        choices=[("sum", gettext_lazy("added up")), ("max", gettext_lazy("the best one counts"))],
        required=False,
    )
    strata = forms.CharField(
        max_length=1000,
        required=False,
        help_text=gettext_lazy("Bound and rate: 10:1,50:0.2 is all to rank 10, a fifth to 50."),
    )
    strata_by = forms.ChoiceField(
        label=gettext_lazy("Bounds are"),
        choices=[
            ("rank", gettext_lazy("best ranks in any run, rising")),
            ("runs", gettext_lazy("numbers of runs that return it, falling")),
        ],
        required=False,
    )
    seed = _whole(
        gettext_lazy("Seed"), gettext_lazy("The same seed draws the same documents; 0 where you say none."), least=0
    )
    relevant_from = _whole(
        gettext_lazy("Relevant from"),
        gettext_lazy("The lowest grade that counts as found; the setting's where you say none."),
        least=-100,
        most=100,
    )
    lists = _whole(
        gettext_lazy("From document lists"),
        gettext_lazy("And the first so many of every topic's document list."),
        least=0,
        most=1000,
    )
    list_file = UploadField(
        label=gettext_lazy("Another list"),
        required=False,
        allow_empty_file=False,
        help_text=gettext_lazy("And these documents, lines of topic, rank, document, score."),
    )
    list_key = forms.CharField(required=False, max_length=1000, widget=forms.HiddenInput)
    minus_judged = forms.BooleanField(
        label=gettext_lazy("Without what is judged already"),
        required=False,
        help_text=gettext_lazy("Judged documents are not pooled again; their judgments stay and count in the scores."),
    )

    def groups(self) -> Iterator[tuple[str | Promise, list[tuple[BoundField, str]]]]:
        """Yield the number fields under their headings, each with the strategies that use it."""
        for heading, names in GROUPS:
            yield heading, [(self[name], " ".join(key for key in FIELDS if name in FIELDS[key])) for name in names]

    def words(self, name: str) -> str:
        """Return the labels of the strategies that use the field of this name."""
        return ", ".join(str(LABELS[key][0]) for key in FIELDS if name in FIELDS[key])

    def selection(self) -> Selection | None:
        """Return the selection that the form describes; None for the track's own way.

        After this call, the form may be invalid. Then the result is None as well and must not be used.
        """
        try:
            return make_selection(self._values())
        except BadFile as refusal:
            first = refusal.issues[0] if refusal.issues else None
            where = (
                gettext(" Line %(where)s: %(first)s") % {"where": first.where, "first": first.message}
                if first is not None
                else ""
            )
            self.add_error("list_file", f"{refusal.message}{where}")
        except Refused as refusal:
            self.add_error(None, refusal.message)
        return None

    def kept(self) -> list[tuple[str, str]]:
        """Return the name and value of each field, to be sent again. An uploaded list is given by its signed key."""
        sent = {name: str(self.data.get(name, "")) for name in self.fields if name not in ("list_file", "list_key")}
        sent["list_key"] = self.cleaned_data.get("list_key", "")
        return [(name, value) for name, value in sent.items() if value]

    def _values(self) -> dict[str, Any]:
        values = dict(self.cleaned_data)
        values["depths"] = read_pairs(values["depths"], int, form="priority:depth, as in 1:100,2:50") or None
        values["strata"] = read_pairs(values["strata"], float, form="bound:rate, as in 10:1,50:0.2") or None
        values["combine"], values["strata_by"] = values["combine"] or None, values["strata_by"] or None
        if isinstance(values["list_file"], UploadedFile):
            stored, name = store_file(cast(BinaryIO, values["list_file"])), values["list_file"].name
            self.cleaned_data["list_key"] = signing.dumps([stored.sha256, name], salt=LIST_SALT)
        if key := self.cleaned_data["list_key"]:
            try:
                sha256, name = signing.loads(key, salt=LIST_SALT)
            except signing.BadSignature:
                raise Refused(gettext("The list was not sent by this page. Choose it again.")) from None
            with open_file(sha256) as stream:
                values["listed"], values["list_name"] = read_listed(uncompressed(stream), name), name
        return values


def initial_of(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return the initial values of the form: the numbers of a pool's ``recipe``, or else the track's own way of
    pooling.
    """
    chosen = recipe.get("selection")
    if not chosen:
        return {"strategy": WHOLE}
    numbers = chosen["recipe"]
    found = {name: numbers[name] for name in ("strategy", "depth", "budget", "k", "p", "combine", "strata_by", "seed")}
    found["depths"] = ",".join(f"{priority}:{depth}" for priority, depth in numbers["depths"])
    found["strata"] = ",".join(f"{each['bound']}:{each['rate']:g}" for each in numbers["strata"])
    named = {name: chosen[name] for name in ("batch", "lists", "relevant_from") if name in chosen}
    return {**found, **named, "minus_judged": "minus_judged" in chosen}
