"""Jobs no longer say who stopped them: the name stayed there after its person was erased."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def forget_names(apps: Any, schema_editor: Any) -> None:
    """Say of each stopped job that it was stopped, in place of by whom."""
    stopped = apps.get_model("assess", "Job").objects.filter(state="stopped", message__startswith="Stopped by ")
    stopped.update(message="Stopped on request.", made_of={})


class Migration(migrations.Migration):
    dependencies = [("assess", "0036_withheld_documents")]
    operations = [migrations.RunPython(forget_names, migrations.RunPython.noop)]
