"""Agreement, stability and significance on pages, in commands and over the API: the same values and refusals."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.models import Campaign
from tests.assess.pages import csv_rows

pytestmark = pytest.mark.django_db


def printed(*command: str) -> Any:
    out = io.StringIO()
    call_command(*command, "--format", "json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def lines(*command: str) -> list[list[str]]:
    out = io.StringIO()
    call_command(*command, stdout=out, stderr=io.StringIO())
    return [line.split("\t") for line in out.getvalue().splitlines()]


def answered(client: Client, name: str, campaign: Campaign, query: str) -> list[dict[str, Any]]:
    answer = client.get(reverse(f"api-{name}-list", args=[campaign.slug]) + query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


ASKED = ("--stage", "instances", "--criterion", "correctness", "--judges", "primary", "second")


def test_agreement_is_the_same_everywhere(desk: Client, ranked: Campaign) -> None:
    said = printed("agreement", ranked.slug, *ASKED)
    query = "?stage=instances&criterion=correctness&judges=primary,second"
    assert answered(desk, "agreement", ranked, query) == said
    assert answered(desk, "agreement", ranked, "") == said
    shown = csv_rows(desk, ranked, "?format=measures", name="agreement")
    assert [(row["measure"], row["value"], row["low"]) for row in shown] == [
        (
            row["measure"],
            "" if row["value"] is None else str(row["value"]),
            str(row["low"] if row["low"] is not None else ""),
        )
        for row in said
    ]
    per_topic = printed("agreement", ranked.slug, *ASKED, "--per-topic")
    assert answered(desk, "agreement", ranked, query + "&per_topic=yes") == per_topic
    assert {row["topic"] for row in per_topic} == {"1.1", "1.3", "all"}
    assert lines("agreement", ranked.slug, *ASKED)[:2] == [
        ["topic", "measure", "value", "low", "high", "items"],
        ["all", "agreement", "0.250000", "0.250000", "0.250000", "8"],
    ]


def test_stability_is_the_same_everywhere(desk: Client, ranked: Campaign) -> None:
    said = printed("stability", ranked.slug, "--judges", "official", "second", "--measure", "IP")
    sides = "?first=official&second=second&first_measure=IP&second_measure=IP"
    found = answered(desk, "stability", ranked, sides)
    assert [{name: row[name] for name in ("measure", "value", "low", "high")} for row in found] == said
    assert {row["topics"] for row in found} == {2}
    shown = csv_rows(
        desk, ranked, "?a=official&b=second&a_measure=IP&b_measure=IP&format=correlations", name="stability"
    )
    assert [row["measure"] for row in shown] == [row["measure"] for row in said]
    assert [float(row["value"]) for row in shown] == [row["value"] for row in said]
    runs = printed("stability", ranked.slug, "--judges", "official", "second", "--measure", "IP", "--runs")
    assert {row["run"]: row["moved"] for row in runs} == {"Alder1": -1, "Birch1": -1, "Cedar1": 2}


def test_stability_tries_settings(ranked: Campaign) -> None:
    same = printed("stability", ranked.slug, "--second-set", "beta=1", "--measure", "IP")
    assert same[0] == {"measure": "tau", "value": 1.0, "low": same[0]["low"], "high": same[0]["high"]}
    with pytest.raises(CommandError, match="Both rankings are the same"):
        call_command("stability", ranked.slug, "--judges", "official", "official", "--measure", "IP")
    with pytest.raises(CommandError, match="beta"):
        call_command("stability", ranked.slug, "--second-set", "beta=-1")
    with pytest.raises(CommandError, match="one measure, or two"):
        call_command("stability", ranked.slug, "--measure", "a", "b", "c")


def test_stability_says_what_it_compares_where_nobody_chose(ranked: Campaign, desk: Client) -> None:
    out, err = io.StringIO(), io.StringIO()
    call_command("stability", ranked.slug, "--format", "json", stdout=out, stderr=err)
    said = json.loads(out.getvalue())
    assert [{name: row[name] for name in said[0]} for row in answered(desk, "stability", ranked, "")] == said
    told = err.getvalue().splitlines()
    assert told[0].startswith("first: judgments of official, by ") and told[1].startswith("second: judgments of second")
    assert told[2] == "1 topic compared, seed 0"
    assert lines("stability", ranked.slug)[0] == ["measure", "value", "low", "high"]
    assert lines("stability", ranked.slug, "--runs")[0][:2] == ["run", "first_place"]


def test_consistency_without_plants_says_what_to_do(ranked: Campaign) -> None:
    out, err = io.StringIO(), io.StringIO()
    call_command("consistency", ranked.slug, stdout=out, stderr=err)
    assert out.getvalue().split() == [
        "assessor", "criterion", "agreed", "repeats", "kappa", "low", "high", "right", "gold",
    ]  # fmt: skip
    assert "No control items" in err.getvalue() and "manage.py plant" in err.getvalue()


def test_significance_is_the_same_everywhere(desk: Client, ranked: Campaign) -> None:
    said = printed("compare_runs", ranked.slug, "--measure", "IP", "--test", "sign", "--correction", "bh")
    found = answered(desk, "significance", ranked, "?measure=IP&test=sign&correction=bh")
    names = ("run_a", "run_b", "test", "topics", "statistic", "p", "corrected", "difference", "superiority")
    assert [[row[name] for name in names] for row in found] == [[row[name] for name in names] for row in said]
    shown = csv_rows(desk, ranked, "?measure=IP&test=sign&correction=bh&format=csv", name="significance")
    assert [(row["run_a"], row["run_b"], float(row["p"])) for row in shown] == [
        (row["run_a"], row["run_b"], row["p"]) for row in said
    ]
    assert [row[:3] for row in lines("compare_runs", ranked.slug, "--measure", "IP", "--test", "sign")] == [
        ["run_a", "run_b", "test"],
        *([row["run_a"], row["run_b"], "sign"] for row in said),
    ]


@pytest.mark.parametrize(
    ("command", "address", "sentence"),
    [
        (
            ("agreement", "--stage", "x", "--criterion", "y", "--judges", "primary", "second"),
            "agreement?stage=x&criterion=y&judges=primary,second",
            "Nobody is asked “y” in a stage “x”.",
        ),
        (
            ("agreement", "--stage", "instances", "--criterion", "correctness", "--judges", "primary", "z"),
            "agreement?stage=instances&criterion=correctness&judges=primary,z",
            "There is no judge “z”.",
        ),
        (("stability", "--judges", "official", "z"), "stability?first=official&second=z", "There is no judge “z”."),
        (("compare_runs", "--measure", "z"), "significance?measure=z", "There is no measure “z”"),
        (("compare_runs", "--as-of", "99999999"), "significance?as_of=99999999", "There is no ledger point 99999999"),
    ],
)
def test_refusals_are_the_same_sentence(
    desk: Client, ranked: Campaign, command: tuple[str, ...], address: str, sentence: str
) -> None:
    with pytest.raises(CommandError) as refused:
        call_command(command[0], ranked.slug, *command[1:], stdout=io.StringIO(), stderr=io.StringIO())
    name, _, query = address.partition("?")
    answer = desk.get(reverse(f"api-{name}-list", args=[ranked.slug]) + "?" + query)
    assert answer.status_code == 422
    assert sentence in str(refused.value)
    assert answer.json()["detail"] == str(refused.value)
