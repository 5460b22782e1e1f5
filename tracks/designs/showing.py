"""Show an installed track as a design, and list the parts of it that a design can't express."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from assess.protocol import Export, Track
from scoring.release.phrases import Phrase
from tracks.designs.checking import check_design
from tracks.designs.described_work import described_works
from tracks.designs.editing import parsed, with_member
from tracks.designs.other_forms import built_track
from tracks.designs.places import Path
from tracks.designs.ranked_form import RUN
from tracks.designs.writing import design_lines
from tracks.rag_nuggets import TRACK as RAG_NUGGETS

FORMS = {"ranked": (RUN,), "answers": RAG_NUGGETS.submissions}
"""The forms of runs in designs, each with the run files of tracks that it corresponds to."""

OF_STAGES = ("own", "rounds_setting", "spread_is_weight")
"""Members of a track's stage that a design's stage does not have."""


MEMBERS: Mapping[str, Path] = {
    "pool_depth": ("pool", "depth"),
    "ranked_limit": ("runs", "limit"),
    "judged_topics": ("topics", "judged"),
    "relevant_from": ("scores", "relevant_from"),
}
"""Settings of campaigns that a design can give, and where."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unsaid:
    """A part of a track that a design can't express: where it is, and what it is."""

    member: str
    what: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownTrack:
    """A track as the text of a design, and the parts that the text leaves out. The text is "" if nothing of the track
    can be expressed.
    """

    text: str
    unsaid: tuple[Unsaid, ...]


def shown_track(track: Track, settings: Any = None) -> ShownTrack:
    """Return a track with these settings, by default its initial ones, as the text of a design that passes its check.

    A track that was built from a design is shown as the text of that design, with changed settings written into it.
    For any other track, a stage, measure or form of runs that the check refuses is left out and listed in ``unsaid``.
    """
    if track.design:
        return with_settings(ShownTrack(text=track.design, unsaid=()), track, settings or track.settings())
    unsaid = list(_unsaid_of_stages(track))
    if not (form := _form(track)):
        return ShownTrack(text="", unsaid=(*unsaid, *_of_python(track)))
    values = _values(track, form, track.settings() if settings is None else settings)
    while values["stages"]:
        text = "\n".join(design_lines(values)) + "\n"
        design, faults = check_design(text)
        if design is not None:
            named = {each.member for each in unsaid}
            unsaid += [each for each in _left_out(track, built_track(design)) if each.member not in named]
            return ShownTrack(text=_with_comments(track, values, unsaid), unsaid=tuple(unsaid))
        unsaid.append(_without(track, values, next(each for each in faults if each.severity == "error")))
    return ShownTrack(text="", unsaid=(*unsaid, *_of_python(track)))


def with_settings(shown: ShownTrack, track: Track, settings: Any) -> ShownTrack:
    """Return a copy of a shown design with the settings written into it that differ from the track's initial ones.

    A setting for which the text has no place is added to ``unsaid``.
    """
    text, unsaid = shown.text, list(shown.unsaid)
    usual = track.settings().as_mapping()
    for name, value in settings.as_mapping().items():
        criterion = track.settings.criterion_of(name)
        if value == usual[name] or (criterion and not track.design):  # the grades that result from it are shown
            continue
        values = parsed(text)[0]
        path = _place_of(name, criterion, values)
        if path and (path[0] != "runs" or path[1] in values.get("runs", {})):
            text = with_member(text, path, value)
        else:
            unsaid.append(Unsaid(member=f"settings.{name}", what=f"{value}"))
    return ShownTrack(text=text, unsaid=tuple(unsaid))


def _place_of(name: str, criterion: str, values: Mapping[str, Any]) -> Path:
    """Return the path of the design's member from which a setting comes. The setting ``criterion`` comes from the
    highest grade of the question with this key.
    """
    places = (
        ("stages", place, "questions", number, "highest")
        for place, stage in enumerate(values["stages"])
        for number, question in enumerate(stage.get("questions", ()))
        if criterion and question["key"] == criterion
    )
    return next(places, MEMBERS.get(name, ()))


def _with_comments(track: Track, values: Mapping[str, Any], unsaid: list[Unsaid]) -> str:
    comments = [f"{track.label} ({track.key}), as the design that it is."]
    if unsaid:
        comments += ["A design can't say of it:", *(f"  {each.member}: {each.what}" for each in unsaid)]
    return "\n".join(design_lines(values, comments)) + "\n"


def _without(track: Track, values: dict[str, Any], fault: Any) -> Unsaid:
    """Remove the stage or measure that has this fault as a whole, and return a description of it."""
    member, _, rest = fault.member.partition(".")
    name = rest.split(".")[0]
    told = fault.message.removesuffix(" Leave it out until it is.")
    if member == "scores" and name == "measures" and values["scores"]["measures"]:
        lost = values["scores"]["measures"].pop(int(rest.split(".")[1]) - 1)
        values["scores"] = {**values["scores"], "official": (values["scores"]["measures"] or [""])[0]}
        return next(_unsaid_measures(track, [lost]))
    stage = next((each for each in values["stages"] if each["key"] == name), values["stages"][-1])
    values["stages"].remove(stage)
    return Unsaid(member=f"stages.{stage['key']}", what=told)


# ---------------------------------------------------------------- what a design can say


def _form(track: Track) -> str:
    """Return the form of the track's runs, or "" if designs have no such form."""
    return next((form for form, own in FORMS.items() if track.submissions[:1] == own[:1]), "")


def _values(track: Track, form: str, settings: Any) -> dict[str, Any]:
    recipe = next((each for task in track.tasks for each in task.pooling if each.depth_setting), None)
    runs = {"form": form, "limit": getattr(settings, "ranked_limit", 1000)} if form == "ranked" else {"form": form}
    said: dict[str, Any] = {"design": 1, "key": track.key, "title": track.label, "source": track.source}
    if track.language != "en":
        said["language"] = track.language
    if judged := list(getattr(settings, "judged_topics", ())):
        said["topics"] = {"judged": judged}
    said["runs"] = runs
    if recipe is not None:
        said["pool"] = {"depth": getattr(settings, recipe.depth_setting)}
    stages = [stage for task in track.tasks for stage in task.stages if stage.work.key in described_works()]
    shown = [described_works()[stage.work.key].shown(stage, settings) for stage in stages]
    said["stages"] = [each for each in shown if each is not None]
    relevant = getattr(settings, "relevant_from", 1)
    official = next((each.key for each in track.scoring.measures if each.official), "")
    measures = [each.key for each in track.scoring.measures]
    said["scores"] = {"relevant_from": relevant, "measures": measures, "official": official or measures[0]}
    return said


# ---------------------------------------------------------------- what a design can't say


def _unsaid_of_stages(track: Track) -> Iterator[Unsaid]:
    settings = track.settings()
    for stage in (stage for task in track.tasks for stage in task.stages):
        if stage.work.key not in described_works():
            yield Unsaid(member=f"stages.{stage.key}", what=Phrase("its kind of work, “{kind}”", kind=stage.work.key))
        elif described_works()[stage.work.key].shown(stage, settings) is None:
            yield Unsaid(
                member=f"stages.{stage.key}",
                what=Phrase("its items, “{kind}”, which the track makes", kind=stage.item_kind),
            )


def _left_out(track: Track, built: Track) -> Iterator[Unsaid]:
    """Yield each part of the track that ``built`` lacks. ``built`` is the track that was built from the shown
    design.
    """
    settings = {each.name: each for each in fields(built.settings)}
    for each in fields(track.settings):
        if each.name not in settings and each.name not in MEMBERS:
            yield Unsaid(member=f"settings.{each.name}", what=str(each.metadata.get("help", "a setting of the track")))
    stages = {stage.key: stage for task in built.tasks for stage in task.stages}
    for stage in (stage for task in track.tasks for stage in task.stages if stage.key in stages):
        for criterion in stage.criteria:
            if criterion.scale is not None or criterion.setting:
                what = Phrase("its grades are those of a setting")
                if criterion.scale is None:
                    what = Phrase("the setting {name}", name=criterion.setting)
                yield Unsaid(member=f"stages.{stage.key}.questions.{criterion.key}", what=what)
        said = stages[stage.key]
        options = [each.name for each in fields(stage.work) if each.name != "criteria"]
        differs = [
            *(name for name in OF_STAGES if getattr(stage, name) != getattr(said, name)),
            *(name for name in options if getattr(stage.work, name) != getattr(said.work, name)),
        ]
        for name in differs:
            yield Unsaid(member=f"stages.{stage.key}.{name}", what=Phrase("set by the track"))
    yield from _by_key(track, built)
    if track.drafting != built.drafting:
        yield Unsaid(member="drafting", what=Phrase("how assessors make topics"))
    if track.given_twice != built.given_twice:
        yield Unsaid(member="given_twice", what=Phrase("topics that files give more than once"))


def _of_python(track: Track) -> Iterator[Unsaid]:
    """Yield the run files, exports and measures of a track, none of which can be shown as a design."""
    for member in ("submissions", "exports"):
        for each in getattr(track, member):
            if _key(each) != "judgments.jsonl":
                yield Unsaid(
                    member=f"{member}.{_key(each)}",
                    what=Phrase("{label}, written and read by the track", label=each.label),
                )
    yield from _unsaid_measures(track, [measure.key for measure in track.scoring.measures])


def _unsaid_measures(track: Track, keys: Collection[str]) -> Iterator[Unsaid]:
    for measure in track.scoring.measures:
        if measure.key in keys:
            yield Unsaid(member=f"scores.{measure.key}", what=measure.help or measure.label)


def _by_key(track: Track, built: Track) -> Iterator[Unsaid]:
    """Yield each file, form of runs, export and measure of the track whose key ``built`` does not have."""
    for member in ("topic_files", "submissions", "exports", "judgment_files", "bundles"):
        known = [_key(each) for each in getattr(built, member)]
        for each in getattr(track, member):
            if _key(each) not in known:
                yield Unsaid(member=f"{member}.{_key(each)}", what=each.label)
    known = [each.key for each in built.scoring.measures]
    yield from _unsaid_measures(track, {each.key for each in track.scoring.measures} - {*known})


def _key(each: Any) -> str:
    return str(each.name if isinstance(each, Export) else each.key)
