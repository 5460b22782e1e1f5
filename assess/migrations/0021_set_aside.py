"""What an assessor sets aside for later is kept here, and no more in a browser."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assess", "0020_tokens_of_before")]

    operations = [
        migrations.CreateModel(
            name="SetAside",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey("assess.assignment", on_delete=models.CASCADE, related_name="set_aside"),
                ),
                ("item", models.ForeignKey("assess.item", on_delete=models.CASCADE, related_name="+")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("assignment", "item"), name="set_aside_once")],
            },
        ),
    ]
