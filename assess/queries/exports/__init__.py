"""Reads of exports: the records that go into files, and whose names stand there."""
