"""A judgment may be given together with those of answers that say nearly the same; the columns stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("nuggets", "0003_indexes_of_keys"),
    ]

    operations = [
        migrations.AlterField(
            model_name="classedit",
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
        migrations.AlterField(
            model_name="itemreview",
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
        migrations.AlterField(
            model_name="nuggetmatch",
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
        migrations.AlterField(
            model_name="nuggetvote",
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
