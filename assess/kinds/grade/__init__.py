"""Grading items one by one."""
