"""What is judged apart from what is like it is kept, and so are the disagreements that somebody decides later."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0025_notices_by_mail"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DecidedLater",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stage", models.CharField(max_length=50)),
                ("criterion", models.CharField(max_length=50)),
                ("thing", models.CharField(max_length=50)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="setaside",
            name="set_aside_once",
        ),
        migrations.AddField(
            model_name="setaside",
            name="why",
            field=models.CharField(
                choices=[("later", "for later"), ("apart", "judged by itself, not with those like it")],
                default="later",
                max_length=5,
            ),
        ),
        migrations.AddConstraint(
            model_name="setaside",
            constraint=models.UniqueConstraint(fields=("assignment", "item", "why"), name="set_aside_once"),
        ),
        migrations.AddField(
            model_name="decidedlater",
            name="campaign",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="assess.campaign"
            ),
        ),
        migrations.AddField(
            model_name="decidedlater",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            model_name="decidedlater",
            constraint=models.UniqueConstraint(
                fields=("campaign", "person", "stage", "criterion", "thing"), name="decided_later_once"
            ),
        ),
    ]
