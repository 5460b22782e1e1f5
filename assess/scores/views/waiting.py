"""What a page shows while the worker computes the scores that it needs."""

from assess.jobs.waiting import waits_for_job as waits_for_scores

__all__ = ["waits_for_scores"]
