"""A judgment may be given together with those of answers that say nearly the same; the columns stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0021_set_aside"),
    ]

    operations = [
        migrations.AlterField(
            model_name="judgment",
            name="how",
            field=models.CharField(
                choices=[
                    ("key", "key press"),
                    ("click", "click"),
                    ("like", "with others that say nearly the same"),
                    ("api", "API"),
                    ("import", "import"),
                ],
                max_length=6,
            ),
        ),
    ]
