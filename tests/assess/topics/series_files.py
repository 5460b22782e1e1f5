"""Files of topics in series."""

from __future__ import annotations

SERIES = """<tacqa>
<target id="1" text="Velora bicycles">
<q id="1.1" type="RigidList">Which colours do people like?</q>
<q id="1.2" type="SquishyList">What do people say about them?</q>
</target>
{more}
</tacqa>"""
SECOND = """<target id="2" text="Trains">
<q id="2.1" type="RigidList">Which lines are liked?</q>
<q id="2.2" type="SquishyList">What do people say?</q>
</target>"""
