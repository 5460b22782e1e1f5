"""Accounts to which nobody can log in: whose judgments are kept of a release, of published files and of machines."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.people.domain.accounts import closed_account
from tests import factories

pytestmark = pytest.mark.django_db


def test_it_is_made_once() -> None:
    made = closed_account("assessor-1@robust", first_name="One")
    assert made is not None
    assert (made.is_active, made.has_usable_password(), made.first_name) == (False, False, "One")
    assert closed_account("assessor-1@robust", first_name="Other") == made


@pytest.mark.parametrize("is_active", [True, False])
def test_a_persons_account_is_none(is_active: bool) -> None:
    """Not even one that was closed, since it can be opened again."""
    person = factories.user("somebody@robust")
    person.set_password("a good long password")
    person.is_active = is_active
    person.save()
    assert closed_account(person.username) is None
    assert User.objects.filter(username=person.username).count() == 1
