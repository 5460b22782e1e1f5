from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from assess.people.domain.names import looks


def keep_looks(apps: Any, schema_editor: Any) -> None:
    """The look of every account that can log in; where several look alike, of the oldest: the others go on without."""
    known: dict[str, int] = {}
    for pk, name in (
        apps.get_model("auth", "User").objects.filter(is_active=True).order_by("pk").values_list("pk", "username")
    ):
        known.setdefault(looks(name), pk)
    names = apps.get_model("assess", "AccountName")
    names.objects.bulk_create((names(user_id=pk, looks_like=look) for look, pk in known.items()), batch_size=500)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("assess", "0008_repeating_items"),
    ]

    operations = [
        migrations.CreateModel(
            name="AccountName",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("looks_like", models.CharField(max_length=300, unique=True)),
            ],
        ),
        migrations.RunPython(keep_looks, migrations.RunPython.noop),
    ]
