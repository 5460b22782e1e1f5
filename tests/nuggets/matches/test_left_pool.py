"""Strings in which nuggets were found do not leave the pool unasked, as judged items don't."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict
from assess.models import Assignment, Campaign
from assess.pools.domain.building import build_pool, pool_plan, task_named
from assess.runs.domain.deciding import withdraw_run
from nuggets.models import NuggetList
from tests.assess.judged_campaign import AMBER, BASIL, CHEAP, mark, pool_all, submit, work, write_list

pytestmark = pytest.mark.django_db


def test_marked_strings_leave_the_pool_only_where_that_is_meant(
    campaign: Campaign, organiser: User, assessor: User, settings, tmp_path
) -> None:
    settings.DATA_DIR = tmp_path
    amber = submit(campaign, organiser, "Amber1", AMBER)
    submit(campaign, organiser, "Basil1", BASIL)
    pool_all(campaign, organiser)
    nuggets: NuggetList = write_list(work(campaign, "1.2", "nuggets", assessor), cheap="vital")
    matching: Assignment = work(campaign, "1.2", "matches", assessor)
    mark(matching, nuggets, 1, CHEAP)
    withdraw_run(actor=organiser, run=amber)
    plan = pool_plan(campaign, task_named(campaign, "squishy"))
    assert (plan.leaving, plan.leaving_judged) == (2, 1)
    with pytest.raises(Conflict, match="1 judged item would leave the pool"):
        build_pool(actor=organiser, campaign=campaign, task="squishy")
    build_pool(actor=organiser, campaign=campaign, task="squishy", drop_judged=True)
