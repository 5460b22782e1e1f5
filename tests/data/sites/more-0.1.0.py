# Run in the shell of version 0.1.0: what its demonstration does not have and later migrations change, namely
# work handed over, a mark that is taken back, a nugget that is said not to be there, and a deadline in a zone.
from uuid import uuid4
from django.contrib.auth.models import User
from django.core.management import call_command
from assess.domain.work.handing_over import hand_over
from assess.models import Assignment
from nuggets.domain.matches import MatchInput, record_match
from nuggets.models import NuggetMatch
campaign = "demo-rag-nuggets"
marked = NuggetMatch.objects.filter(value="full", assignment__state="open").order_by("-id").first()
marked = marked or NuggetMatch.objects.filter(value="full").order_by("-id").first()
work = marked.assignment
Assignment.objects.filter(pk=work.pk).update(state="started", done_at=None)
others = User.objects.filter(username__startswith="assessor-").exclude(pk__in=Assignment.objects.filter(topic=work.topic, stage=work.stage).values("assessor"))
work = hand_over(actor=User.objects.get(username="organiser"), assignment=Assignment.objects.get(pk=work.pk), to=others.order_by("id").first())
Assignment.objects.filter(pk=work.pk).update(state="started")
work.refresh_from_db()
record_match(actor=work.assessor, assignment=work, match=MatchInput(nugget=marked.nugget, item=marked.item, client_key=uuid4(), value="none"))
free = [(nugget, item) for nugget in marked.nugget.nugget_list.nuggets.order_by("id") for item in [marked.item] if nugget.pk != marked.nugget_id]
record_match(actor=work.assessor, assignment=work, match=MatchInput(nugget=free[0][0], item=free[0][1], client_key=uuid4(), value="none"))
call_command("set_deadline", campaign, "2031-12-01 23:59", zone="Etc/GMT+12")
