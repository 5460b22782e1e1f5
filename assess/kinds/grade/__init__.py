"""The kind of work in which items are graded one by one."""
