from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0014_takes_work"),
    ]

    operations = [
        migrations.AddField(
            model_name="draftstep",
            name="estimate",
            field=models.JSONField(null=True),
        ),
    ]
