"""Which tests are chosen to run on PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from assess.campaigns.queries import ledger_point
from assess.models import Campaign
from tests import on_postgresql
from tests.on_postgresql import Sent, choose, is_real, noted, own, read_recorded, unsent


def sent(name: str, statements: str, *, seconds: float = 1.0, always: bool = False) -> Sent:
    return Sent(name=name, seconds=seconds, statements=frozenset(statements), always=always)


def test_every_statement_is_sent_by_a_chosen_test() -> None:
    tests = [sent("two", "ab"), sent("three", "bcd"), sent("first again", "a", seconds=2), sent("last", "e")]
    assert choose(tests) == {"two", "three", "last"}
    assert unsent(tests, {"first again"}) == set()


def test_of_two_that_send_the_same_the_quicker_is_chosen() -> None:
    assert choose([sent("slow", "ab", seconds=9), sent("quick", "ab")]) == {"quick"}


def test_what_was_chosen_first_goes_where_later_ones_send_all_of_it() -> None:
    assert choose([sent("first", "bc", seconds=0.01), sent("left", "abe"), sent("right", "cdf")]) == {"left", "right"}


def test_what_is_real_runs_though_it_sends_nothing_else() -> None:
    assert choose([sent("one", "a"), sent("locks", "a", always=True), sent("silent", "", always=True)]) == {
        "locks",
        "silent",
    }


def test_a_statement_that_only_tests_send_which_are_left_out_is_told() -> None:
    assert unsent([sent("one", "ab"), sent("two", "bc"), sent("new", "d")], {"two"}) == {"c"}


def test_what_is_refused_is_told_from_what_is_taken(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_postgresql, "_sent", set())
    monkeypatch.setattr(on_postgresql, "asked_by_a_test", lambda frame: False)
    with noted(), connection.cursor() as cursor:
        cursor.execute("SELECT 1, 'one'")
        with pytest.raises(DatabaseError), transaction.atomic():
            cursor.execute("SELECT nothing")
    (refused,) = (each for each in on_postgresql._sent if each.endswith("SELECT nothing"))
    assert "SELECT 0, ''" in on_postgresql._sent
    assert refused == ("42703 SELECT nothing" if connection.vendor == "postgresql" else " SELECT nothing")


def test_what_tests_ask_themselves_does_not_count(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_postgresql, "_sent", set())
    with noted():
        assert Campaign.objects.count() == 1
        assert on_postgresql._sent == set()
        ledger_point(campaign)
    assert len(on_postgresql._sent) == 1


def test_searches_and_programs_count_for_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_postgresql, "_sent", {"SELECT a WHERE b @@ %s::tsquery (('w'))", "pg_dump", "SELECT a"})
    assert own("test_runs") == {"test_runs: SELECT a WHERE b @@ %s::tsquery (('w'))", "test_runs: pg_dump"}


def test_a_test_that_takes_no_database_here_starts_a_site_of_its_own(request: pytest.FixtureRequest) -> None:
    assert is_real(request.node)


def test_a_test_whose_rows_are_rolled_back_is_not_real(db: None, request: pytest.FixtureRequest) -> None:
    assert not is_real(request.node)


@pytest.mark.django_db(transaction=True)
def test_a_test_whose_transactions_are_real_is(request: pytest.FixtureRequest) -> None:
    assert is_real(request.node)


def test_what_several_processes_recorded_is_one(tmp_path: Path) -> None:
    rows = [["test_runs::test_a", 1.0, ["SELECT 1"], False], ["test_runs::test_a", 0.5, ["SELECT 2"], True]]
    for number, row in enumerate(rows):
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(row) + "\n")
    whole = Sent(name="test_runs::test_a", seconds=1.5, statements=frozenset({"SELECT 1", "SELECT 2"}), always=True)
    assert read_recorded(tmp_path) == [whole]


def test_what_the_list_names_is_left_out_and_nothing_else(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_postgresql, "LIST", tmp_path / "list.txt")
    monkeypatch.setattr(request.config.option, "fewest", True)
    own = on_postgresql.name_of(request.node)
    for names, remaining in (("test_elsewhere::test_gone\n", [request.node]), (f"{own}\n", [])):
        (tmp_path / "list.txt").write_text(names)
        items = [request.node]
        on_postgresql.pytest_collection_modifyitems(request.config, items)
        assert items == remaining
