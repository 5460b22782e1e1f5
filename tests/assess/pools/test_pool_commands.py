"""`manage.py build_pool` with a strategy: the words of `python -m scoring pool`, the pool that the page builds."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from assess.models import Campaign, Pool
from scoring.__main__ import main
from tests.assess.pooling import RUNS, build, letters

pytestmark = pytest.mark.django_db


def run(*arguments: object) -> str:
    out = io.StringIO()
    call_command("build_pool", "ranked", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("--strategy", "depth", "--depth", 2), {"depth": 2}),
        (("--strategy", "rrf", "--budget", 3, "--k", 10), {"budget": 3, "k": 10}),
        (
            ("--strategy", "rbp", "--budget", 3, "--p", "0.5", "--combine", "max"),
            {"budget": 3, "p": 0.5, "combine": "max"},
        ),
        (
            ("--strategy", "stratified", "--strata", "2:1,8:0.5", "--seed", 4),
            {"strata": ((2, 1.0), (8, 0.5)), "seed": 4},
        ),
        (("--strategy", "move-to-front", "--budget", 5, "--batch", 3), {"budget": 5, "batch": 3}),
    ],
    ids=str,
)  # fmt: skip
def test_the_command_builds_the_pool_of_the_domain(
    retrieval: Campaign, organiser: User, words: tuple[object, ...], values: dict[str, object]
) -> None:  # fmt: skip
    said = run(*words)
    pool = Pool.objects.get()
    assert said == f"ranking\t{pool.pool_items.count()} items\tpool {pool.pk}\t{pool.digest}\n"
    assert build(retrieval, organiser, strategy=str(words[1]), **values) == pool


@pytest.mark.parametrize("words", ["depth --depth 2", "rrf --budget 4", "stratified --strata 1:1,8:0.3 --seed 5"])
def test_the_site_pools_what_the_command_line_pools(
    retrieval: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:  # fmt: skip
    files = []
    for tag, (_, rankings) in RUNS.items():
        path = tmp_path / tag
        path.write_text("".join(
            f"{topic} Q0 D{letter} {rank} {100 - rank} {tag}\n"
            for topic, docs in rankings.items() for rank, letter in enumerate(docs, 1)
        ))  # fmt: skip
        files += ["--run", str(path)]
    assert main(["pool", "--strategy", *words.split(), *files]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    run("--strategy", *words.split())
    rows = Pool.objects.get().pool_items.order_by("item__topic__number", "item__key")
    found = [(row.item.topic.number, row.item.key, row.stratum, row.probability) for row in rows.select_related("item")]
    assert [(line[0], line[1], *((line[2], float(line[3])) if line[2:] else ("", 1.0))) for line in lines] == found


def test_a_list_comes_in_too(retrieval: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "more.txt"
    path.write_text("1 1 Dq 3.0\n1 2 Da 2.0\n")
    run("--strategy", "depth", "--depth", 1, "--union", path)
    assert letters(Pool.objects.get()) == "aqx"
    assert Pool.objects.get().recipe["selection"]["union"]["file"] == "more.txt"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--strategy rrf", "Rrf needs a budget"),
        ("--strategy priority --depths 1-100", "“1-100” is not priority:depth, as in 1:100,2:50"),
        ("--minus-judged", "go with a strategy"),
    ],
)
def test_refusals_are_sentences(retrieval: Campaign, words: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(*words.split())
    assert not Pool.objects.exists()
