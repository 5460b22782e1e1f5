"""The kind of work in which items are picked and put in order."""
