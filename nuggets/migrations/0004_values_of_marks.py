"""Marks are full, partial, absent, or withdrawn (NULL). Before, "none" said either of the last two.

Which of the two a stored "none" was follows from the row before: after a mark it took the mark back, else it said that
the nugget is not there. Marks that the site itself added so that a later "none" would take something back are withdrawn
words now; their keys, made from the key of the click, tell them. See docs/decisions/0007.
"""

from collections import defaultdict
from uuid import uuid5

from django.db import migrations, models
from django.db.migrations.exceptions import IrreversibleError

TABLE = "nuggets_nuggetmatch"
SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is a ledger: rows are added, never changed'); END;
"""
POSTGRESQL = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} FOR EACH ROW EXECUTE FUNCTION assay_ledger_refuses();
"""
CHUNK = 2000
AT_ONCE = 500
MOST_OF_ONE_CLICK = 210  # rows that one click could add: two for each of 99 parts, and a few


def refuse_changes(apps, schema_editor):
    statement = POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE
    for verb in ("UPDATE", "DELETE"):
        schema_editor.execute(statement.format(table=TABLE, verb=verb))


def allow_changes(apps, schema_editor):
    on = f" ON {TABLE}" if schema_editor.connection.vendor == "postgresql" else ""
    for verb in ("UPDATE", "DELETE"):
        schema_editor.execute(f"DROP TRIGGER {TABLE}_no_{verb}{on}")


def say_which(apps, schema_editor):
    """Write "absent" or NULL for every "none", list by list, since a list's history begins in its earlier versions."""
    matches = apps.get_model("nuggets", "NuggetMatch").objects
    withdrawn, absent = [], []
    for own, rows in histories(apps):
        said = {}
        for row in rows:
            before, value = said.get(row.place), row.value
            if value == "none" and before not in (None, "", "none"):
                value = ""
            said[row.place] = value
            if row.nugget not in own:
                continue
            if row.value == "none":
                (absent if value else withdrawn).append(row.pk)
            elif row.value == "full" and before == "none" and is_the_sites_own(matches, row.pk):
                withdrawn.append(row.pk)
    write(matches, withdrawn, None)
    write(matches, absent, "absent")


def say_none(apps, schema_editor):
    """Write "none" for "absent" and NULL again, and "full" for what the site had added.

    Refused where people have since said what "none" cannot say: that a nugget is not there after all, that its absence
    is withdrawn, that a part stands instead of the whole.
    """
    matches = apps.get_model("nuggets", "NuggetMatch").objects
    none, full = [], []
    for own, rows in histories(apps):
        said = {}
        for row in rows:
            before, value = said.get(row.place, ""), row.value
            if value is None and before == "none" and is_the_sites_own(matches, row.pk):
                value = "full"
            elif value is None or value == "absent":
                is_marked = before not in ("", "none")
                if is_marked != (value is None):
                    refuse(row)
                value = "none"
            if value != "none" or row.value == "absent":
                require_alone(row, said)
            said[row.place] = "" if row.value is None and value == "none" else value
            if row.nugget in own and value != row.value:
                (none if value == "none" else full).append(row.pk)
    write(matches, none, "none")
    write(matches, full, "full")


def require_alone(row, said):
    """Refuse where a part and the whole would stand together: in the words of before, both would count."""
    number, part, item, voice = row.place
    if part and row.value != "absent":
        others = [said.get((number, 0, item, voice))]
    else:
        others = [] if part else [said.get((number, each, item, voice)) for each in range(1, 100)]
    if any(others):
        refuse(row)


def refuse(row):
    raise IrreversibleError(
        f"Row {row.pk} of {TABLE} says what the values of before (full, partial, none) cannot say."
        " Go back to a backup that was made before the update instead."
    )


class Row:
    """A row of the ledger in the history of one list; its place is what it is about, and whose word it is."""

    def __init__(self, pk, nugget, place, value):
        self.pk, self.nugget, self.place, self.value = pk, nugget, place, value


def histories(apps):
    """Of every list with marks: its own nuggets' ids, and the rows on them and on what they were before, in order."""
    matches = apps.get_model("nuggets", "NuggetMatch").objects
    voices = voices_of(apps)
    marked = matches.order_by().values_list("nugget__nugget_list", flat=True).distinct()
    for own, numbers in lineages(apps, set(marked)):
        rows = matches.filter(nugget__in=list(numbers)).order_by("id")
        fields = ("pk", "nugget", "part", "item", "assignment", "assessor", "value")
        yield (
            own,
            (
                Row(pk, nugget, (numbers[nugget], part, item, voices.get(assignment, assessor)), value)
                for pk, nugget, part, item, assignment, assessor, value in rows.values_list(*fields).iterator(CHUNK)
            ),
        )


def voices_of(apps):
    """By id of an assignment that was handed over or goes on with another's: who began that work."""
    assignments = apps.get_model("assess", "Assignment").objects
    linked = models.Q(taken_over__isnull=False) | models.Q(handed_over__isnull=False)
    fields = ("pk", "taken_over", "assessor")
    rows = {pk: rest for pk, *rest in assignments.filter(linked).order_by().values_list(*fields)}
    found = {}
    for pk in rows:
        first = pk
        while rows[first][0] in rows:
            first = rows[first][0]
        found[pk] = rows[first][1]
    return found


def lineages(apps, marked):
    """The ids of a list's own nuggets, and by id those of all versions that mean the same, with their number."""
    lists = apps.get_model("nuggets", "NuggetList").objects
    voices = voices_of(apps)
    by_topic = defaultdict(list)
    fields = ("pk", "topic", "owner", "version", "frozen_point", "assignment", "assignment__role")
    for pk, topic, owner, version, point, assignment, role in lists.order_by("version").values_list(*fields):
        by_topic[topic].append((pk, voices.get(assignment, owner), version, point, role))
    for rows in by_topic.values():
        if not marked & {row[0] for row in rows}:
            continue
        known = {row[0]: meanings(apps, row[0]) for row in rows}
        for pk, voice, version, point, role in rows:
            if pk not in marked:
                continue
            if role == "adjudicator":
                earlier = [row[0] for row in rows if row[3] is not None and (point is None or row[3] < point)]
            else:
                earlier = [row[0] for row in rows if row[1] == voice and row[3] is not None and row[2] < version]
            own = set(known[pk].values())
            numbers = {
                nugget: meaning[0]
                for each in {*earlier, pk}
                for nugget, meaning in known[each].items()
                if meaning in own
            }
            yield set(known[pk]), numbers


def meanings(apps, nugget_list):
    """What the marks of each nugget of a list are about, by its id, active or not."""
    nuggets = apps.get_model("nuggets", "Nugget").objects.filter(nugget_list=nugget_list).order_by("number")
    rows = list(nuggets.values_list("pk", "number", "text", "merged_into", "split_from"))
    merged, split = defaultdict(list), defaultdict(list)
    for _, number, _, into, origin in rows:
        merged[into].append(number)
        split[origin].append(number)
    return {pk: (number, text, tuple(merged[pk]), tuple(split[pk])) for pk, number, text, _, _ in rows}


def is_the_sites_own(matches, pk):
    """Whether the site added this row before the one that somebody's click wrote: its key is made from that one's."""
    row = matches.get(pk=pk)
    after = matches.filter(assignment=row.assignment_id, item=row.item_id, id__gt=pk).order_by("id")
    keys = after.values_list("client_key", flat=True)[:MOST_OF_ONE_CLICK]
    names = ("before 0", f"{row.part} full")
    return any(row.client_key == uuid5(key, name) for key in keys for name in names)


def write(matches, ids, value):
    for start in range(0, len(ids), AT_ONCE):
        matches.filter(pk__in=ids[start : start + AT_ONCE]).update(value=value)


class Migration(migrations.Migration):
    dependencies = [("nuggets", "0003_nugget_fields"), ("assess", "0005_desk")]
    operations = [
        migrations.RunPython(allow_changes, refuse_changes),
        migrations.AlterField(
            model_name="nuggetmatch",
            name="value",
            field=models.CharField(
                choices=[
                    ("full", "contains the nugget"),
                    ("partial", "contains a part of it"),
                    ("absent", "does not contain it"),
                ],
                max_length=7,
                null=True,
            ),
        ),
        migrations.RunPython(say_which, say_none),
        migrations.AddConstraint(
            model_name="nuggetmatch",
            constraint=models.CheckConstraint(
                condition=models.Q(("value", None), ("value__in", ["full", "partial", "absent"]), _connector="OR"),
                name="value_of_a_mark",
            ),
        ),
        migrations.RunPython(refuse_changes, allow_changes),
        migrations.AlterModelOptions(
            name="nuggetmatch", options={"ordering": ["id"], "verbose_name_plural": "nugget matches"}
        ),
    ]
