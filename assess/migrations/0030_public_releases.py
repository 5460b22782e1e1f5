"""Whether a release has a page that anybody can open. Only a release that is published may have one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0029_topics_without_drafts"),
    ]

    operations = [
        migrations.AddField(
            model_name="release",
            name="public",
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(("public", False), ("published", True), _connector="OR"),
                name="public_release_published",
            ),
        ),
    ]
