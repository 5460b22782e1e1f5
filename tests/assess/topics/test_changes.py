"""Topics dropped, restored, removed and amended: what follows, what is recorded, what is refused."""

from __future__ import annotations

import io
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from assess.assignments.domain.held_work import require_open_for_writing
from assess.assignments.domain.leases import return_lapsed
from assess.assignments.queries.topics import topics_to_judge
from assess.base.errors import Conflict, Invalid
from assess.campaigns.queries import track_of
from assess.models import Activity, Assignment, Campaign, Item, PoolItem, Topic
from assess.organising.judged_topics import choose_topics, judged_topics_of
from assess.organising.queries.overview import unpooled_tasks
from assess.runs.domain.checking import check_run
from assess.topics.domain.amending import amend_topic, wording_digest
from assess.topics.domain.changing import drop_topic, remove_topic, restore_topic
from assess.topics.domain.loading import load_topics
from assess.topics.queries import all_topics, amendments_of, topic_records, topics_chosen, wordings_of
from tests import factories
from tests.pages import page_of

REASON = "It asks for something that nobody can know."


def numbers(topics: list[Topic]) -> list[str]:
    return sorted(topic.number for topic in topics)


def dropped(campaign: Campaign) -> set[str]:
    return set(all_topics(campaign).filter(dropped=True).values_list("number", flat=True))


def test_a_dropped_topic_counts_no_more_and_its_series_goes_with_its_last_question(
    campaign: Campaign, organiser: User
) -> None:
    assert numbers(drop_topic(actor=organiser, campaign=campaign, number="1.1", reason=REASON)) == ["1.1"]
    assert [record.number for record in topic_records(campaign)] == ["1", "1.2"]
    assert numbers(drop_topic(actor=organiser, campaign=campaign, number="1.2", reason=REASON)) == ["1", "1.2"]
    assert topic_records(campaign) == ()
    assert drop_topic(actor=organiser, campaign=campaign, number="1", reason=REASON) == []

    assert numbers(restore_topic(actor=organiser, campaign=campaign, number="1.1")) == ["1", "1.1"]
    assert dropped(campaign) == {"1.2"}
    acts = Activity.objects.filter(campaign=campaign, action__startswith="topics.").exclude(action="topics.load")
    said = [(act.action, act.data["number"], act.data["topics"], act.data["reason"]) for act in acts.order_by("id")]
    assert said == [
        ("topics.drop", "1.1", ["1.1"], REASON),
        ("topics.drop", "1.2", ["1", "1.2"], REASON),
        ("topics.restore", "1.1", ["1", "1.1"], ""),
    ]


def test_a_series_comes_back_with_what_was_dropped_along_with_it_alone(campaign: Campaign, organiser: User) -> None:
    drop_topic(actor=organiser, campaign=campaign, number="1.1", reason="By itself.")
    assert numbers(drop_topic(actor=organiser, campaign=campaign, number="1", reason="All of it.")) == ["1", "1.2"]
    assert numbers(restore_topic(actor=organiser, campaign=campaign, number="1")) == ["1", "1.2"]
    assert dropped(campaign) == {"1.1"}


@pytest.mark.parametrize("act", [drop_topic, amend_topic])
def test_dropping_and_amending_ask_for_a_reason(act, campaign: Campaign, organiser: User) -> None:  # type: ignore[no-untyped-def]
    more = {"wording": {"text": "Another?"}} if act is amend_topic else {}
    for reason, words in ((" \0 ", "Say why"), ("x" * 2001, "Say it in fewer")):
        with pytest.raises(Invalid, match=words):
            act(actor=organiser, campaign=campaign, number="1.1", reason=reason, **more)
    with pytest.raises(Invalid, match="no topic 99"):
        act(actor=organiser, campaign=campaign, number="99", reason=REASON, **more)


def test_a_frozen_campaign_refuses_every_change_of_topics(campaign: Campaign, organiser: User) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.FROZEN)
    by = {"actor": organiser, "campaign": campaign, "number": "1.1"}
    for change in (
        lambda: drop_topic(**by, reason=REASON),
        lambda: restore_topic(**by),
        lambda: remove_topic(**by),
        lambda: amend_topic(**by, wording={"text": "Another?"}, reason=REASON),
    ):
        with pytest.raises(Conflict, match="frozen"):
            change()
    assert dropped(campaign) == set()


def test_a_topic_nobody_answered_is_removed_with_its_pool_items_and_unbegun_work(
    campaign: Campaign, organiser: User, assessor: User, rigid: Topic
) -> None:
    factories.assignment(rigid, "instances", assessor, state="open")
    item = Item.objects.create(topic=rigid, kind="answer", key="a", given=True)
    pool = campaign.pools.create(task=rigid.task, recipe={}, digest="0" * 64)
    PoolItem.objects.create(pool=pool, item=item)
    assert remove_topic(actor=organiser, campaign=campaign, number="1.1", reason="Given twice.") == ["1.1"]
    assert not all_topics(campaign).filter(number="1.1").exists()
    assert (pool.pool_items.count(), campaign.assignments.count()) == (0, 0)
    act = Activity.objects.get(campaign=campaign, action="topics.remove")
    assert act.data == {"number": "1.1", "topics": ["1.1"], "text": rigid.text, "reason": "Given twice."}


def test_a_topic_on_which_something_stands_is_not_removed(grading: Assignment) -> None:
    Assignment.objects.filter(pk=grading.pk).update(started_at=grading.created_at)
    campaign, number = grading.campaign, grading.topic.number
    organiser = User.objects.get(username="organiser")
    with pytest.raises(Conflict, match=r"it has .*Drop it instead"):
        remove_topic(actor=organiser, campaign=campaign, number=number)
    assert campaign.topics.filter(number=number).exists()
    assert Assignment.objects.filter(topic__number=number).exists()


def test_an_amendment_changes_the_text_and_keeps_both_wordings(
    campaign: Campaign, organiser: User, rigid: Topic
) -> None:
    old = rigid.text
    changed = amend_topic(
        actor=organiser, campaign=campaign, number="1.1", wording={"text": " What is <it>? "}, reason="A typo."
    )
    assert [topic.number for topic in changed] == ["1.1"]
    rigid.refresh_from_db()
    assert rigid.text == "What is <it>?"
    (amendment,) = amendments_of(rigid)
    assert (amendment.reason, amendment.by) == ("A typo.", "organiser")
    assert amendment.texts == (("Text", old, "What is <it>?"),)
    assert amend_topic(actor=organiser, campaign=campaign, number="1.1", wording={"text": rigid.text}, reason="-") == []
    assert len(amendments_of(rigid)) == 1


def test_an_amendment_refuses_what_is_no_text_and_what_was_changed_meanwhile(
    campaign: Campaign, organiser: User, rigid: Topic
) -> None:
    by = {"actor": organiser, "campaign": campaign, "number": "1.1", "reason": "A typo."}
    with pytest.raises(Invalid, match="can't be amended"):
        amend_topic(**by, wording={"number": "1.7"})
    with pytest.raises(Invalid, match="empty"):
        amend_topic(**by, wording={"text": " "})
    seen = wording_digest(wordings_of(rigid))
    amend_topic(**by, wording={"text": "One?"}, seen=seen)
    with pytest.raises(Conflict, match="since you opened the page"):
        amend_topic(**by, wording={"text": "Two?"}, seen=seen)


def test_the_page_makes_each_change_and_says_what_it_did(
    client: Client, campaign: Campaign, organiser: User, rigid: Topic
) -> None:
    client.force_login(organiser)
    address = reverse("topic-change", args=[campaign.slug, "1.1"])
    shown = page_of(client.get(address))
    assert rigid.text in shown and "can be removed for good" in shown

    seen = wording_digest(wordings_of(rigid))
    posted = {"do": "amend", "reason": "A typo.", "seen": seen, "text text": "Which colours?"}
    said = page_of(client.post(address, posted, follow=True))
    assert "Topic 1.1 is amended" in said and f'<del dir="auto" lang="en">{rigid.text}</del>' in said
    assert "Topic 1.1 is dropped" in page_of(client.post(address, {"do": "drop", "reason": REASON}, follow=True))
    assert REASON in page_of(client.get(address))
    assert "dropped</span>" in page_of(client.get(reverse("topics", args=[campaign.slug])))
    assert "Topic 1.1 is restored" in page_of(client.post(address, {"do": "restore"}, follow=True))
    assert "1 topic removed: 1.1" in page_of(client.post(address, {"do": "remove"}, follow=True))


def test_who_began_before_an_amendment_reads_both_wordings_on_the_bench(
    client: Client, campaign: Campaign, organiser: User, grading: Assignment
) -> None:
    bench = reverse("workbench", args=[campaign.slug, grading.pk])
    client.force_login(grading.assessor)
    assert "topic-amended" not in page_of(client.get(bench))
    Assignment.objects.filter(pk=grading.pk).update(started_at=timezone.now())
    factories.run(campaign, "Zanzibar1", organiser)
    reason = "A clearer text: zanzibar1 misread it."
    amend_topic(actor=organiser, campaign=campaign, number="1.1", wording={"text": "Which colours?"}, reason=reason)
    shown = page_of(client.get(bench))
    assert "Changed since you began: look again" in shown
    assert shown.index("data-context-body") < shown.index('id="topic-amended"')  # in it: beside it nobody would see it
    assert "A clearer text: a run misread it." in shown and '<ins dir="auto" lang="en">Which colours?</ins>' in shown
    Assignment.objects.filter(pk=grading.pk).update(started_at=timezone.now())
    assert "Changed since you began" not in page_of(client.get(bench))


def test_the_bench_of_a_dropped_topic_is_closed_and_its_work_gone_until_it_comes_back(
    client: Client, campaign: Campaign, organiser: User, grading: Assignment
) -> None:
    client.force_login(grading.assessor)
    bench, work = reverse("workbench", args=[campaign.slug, grading.pk]), reverse("work", args=[campaign.slug])
    assert bench in page_of(client.get(work))
    drop_topic(actor=organiser, campaign=campaign, number="1.1", reason=REASON)
    assert bench not in page_of(client.get(work))
    answer = client.get(bench)
    assert (answer.status_code, "was dropped" in page_of(answer)) == (409, True)
    with pytest.raises(Conflict, match="was dropped"):
        require_open_for_writing(actor=grading.assessor, assignment=Assignment.objects.get(pk=grading.pk))
    restore_topic(actor=organiser, campaign=campaign, number="1.1")
    assert client.get(bench).status_code == 200


def test_a_subset_is_chosen_by_page_and_command_and_an_unknown_number_is_refused(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    address = reverse("judged-topics", args=[campaign.slug])
    assert "All 2 topics are to be judged." in page_of(client.get(address))
    assert "1 of 2 topics are to be judged." in page_of(client.post(address, {"numbers": "1.1\n"}, follow=True))
    answer = client.post(address, {"topic": "1.2", "numbers": "9.9"})
    assert (answer.status_code, "9.9 is no topic of this campaign" in page_of(answer)) == (422, True)
    call_command("call", "judged_topics_create", campaign.slug, "numbers=[]", stdout=io.StringIO())
    campaign.refresh_from_db()
    assert campaign.settings["judged_topics"] == []


def test_topics_are_chosen_a_page_at_a_time(
    client: Client, campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen() -> list[str]:
        campaign.refresh_from_db()
        return sorted(campaign.settings["judged_topics"])

    def save(address: str, *ticked: str) -> None:
        form = html.fromstring(client.get(address).content).get_element_by_id("judged-form")
        fields = [(name, value) for name, value in form.form_values() if name != "topic"]
        posted = urlencode([*fields, *(("topic", number) for number in ticked)])
        answer = client.post(address, posted, content_type="application/x-www-form-urlencoded")
        assert (answer.status_code, answer["Location"]) == (302, address)

    client.force_login(organiser)
    address = reverse("judged-topics", args=[campaign.slug])
    assert 'name="shown"' not in client.get(address).content.decode()
    monkeypatch.setattr("assess.organising.views.topic_changes.TOPICS_A_PAGE", 2)
    save(f"{address}?q=1.1", "1.1")
    assert chosen() == ["1.1"]
    save(f"{address}?q=1.2", "1.2")
    assert chosen() == ["1.1", "1.2"]
    save(f"{address}?q=nothing+has+this")
    assert chosen() == ["1.1", "1.2"], "a page without topics changes nothing"
    save(f"{address}?q=1.1")
    assert chosen() == ["1.2"]


def test_nobody_is_handed_a_topic_outside_the_subset_and_no_task_of_it_lacks_a_pool(
    campaign: Campaign, organiser: User
) -> None:
    campaign.pools.all().delete()
    choose_topics(actor=organiser, campaign=campaign, numbers=["1.1"])
    assert [topic.number for topic in topics_to_judge(campaign)] == ["1.1"]
    tasks = {task.key for task in track_of(campaign).tasks}
    assert set(unpooled_tasks(campaign)) <= tasks - {campaign.topics.get(number="1.2").task}


def test_a_dropped_topic_may_stand_in_the_subset(campaign: Campaign, organiser: User) -> None:
    choose_topics(actor=organiser, campaign=campaign, numbers=["1.1", "1.2"])
    drop_topic(actor=organiser, campaign=campaign, number="1.1", reason=REASON)
    for task in track_of(campaign).tasks:
        assert topics_chosen(campaign, task) == ("1.1", "1.2")
    assert judged_topics_of(campaign).asked == ("1.2",)


def test_a_run_is_valid_whether_it_answers_a_dropped_topic_or_leaves_it_out(
    campaign: Campaign, organiser: User
) -> None:
    both = b"1.1 Harbor1 - blue\n1.2 Harbor1 - kites are nice\n"
    one = b"1.2 Harbor1 - kites are nice\n"

    def errors(content: bytes) -> set[str]:
        return {issue.code for issue in check_run(campaign=campaign, stream=io.BytesIO(content)).issues} & {
            *("missing-question", "unknown-question"),
        }

    assert (errors(both), errors(one)) == (set(), {"missing-question"})
    drop_topic(actor=organiser, campaign=campaign, number="1.1", reason=REASON)
    assert (errors(both), errors(one)) == (set(), set())
    restore_topic(actor=organiser, campaign=campaign, number="1.1")
    assert errors(one) == {"missing-question"}


def test_a_file_changes_no_narrative_once_judging_began_and_an_amendment_does(organiser: User) -> None:
    campaign = factories.campaign(organiser=organiser, slug="ranked", track="adhoc")
    topic = campaign.topics.create(task="ranking", number="301", text="Kites", fields={"narrative": "Any kite."})
    file = b"<top>\n<num> 301\n<title> Kites\n<narr> Kites of paper alone.\n</top>\n"
    assessor = factories.member(campaign, "anna", "assessor")
    factories.assignment(topic, "relevance", assessor)
    with pytest.raises(Conflict, match="The judging of 301 has begun"):
        load_topics(actor=organiser, campaign=campaign, stream=io.BytesIO(file), name="topics.txt")
    wording = {"narrative": "Kites of paper alone."}
    amend_topic(actor=organiser, campaign=campaign, number="301", wording=wording, reason="Clearer.")
    topic.refresh_from_db()
    assert topic.fields == {"narrative": "Kites of paper alone."}


def test_leases_begin_anew_when_a_topic_comes_back(campaign: Campaign, organiser: User, grading: Assignment) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(lease_hours=24)
    campaign.refresh_from_db()
    Assignment.objects.filter(pk=grading.pk).update(lease_until=timezone.now() - timedelta(days=2))
    drop_topic(actor=organiser, campaign=campaign, number="1.1", reason=REASON)
    assert return_lapsed(campaign=campaign) == []
    restore_topic(actor=organiser, campaign=campaign, number="1.1")
    grading.refresh_from_db()
    assert grading.lease_until is not None and grading.lease_until > timezone.now()
    assert return_lapsed(campaign=campaign) == []


def test_a_chosen_topic_is_not_removed(campaign: Campaign, organiser: User) -> None:
    choose_topics(actor=organiser, campaign=campaign, numbers=["1.1"])
    campaign.refresh_from_db()
    with pytest.raises(Conflict, match=r"Topic 1\.1 is among the topics chosen"):
        remove_topic(actor=organiser, campaign=campaign, number="1")


def test_the_list_of_topics_counts_the_runs_of_a_dropped_one_as_before(
    client: Client, campaign: Campaign, organiser: User, rigid: Topic
) -> None:
    rigid.responses.create(run=factories.run(campaign, "Harbor1", organiser), characters=4)
    client.force_login(organiser)
    address = reverse("topics", args=[campaign.slug]) + "?format=csv"
    before = b"".join(client.get(address).streaming_content)  # type: ignore[attr-defined]
    drop_topic(actor=organiser, campaign=campaign, number="1.1", reason=REASON)
    assert b"".join(client.get(address).streaming_content) == before  # type: ignore[attr-defined]
    assert before.splitlines()[2].endswith(b",1")
