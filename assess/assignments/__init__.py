"""Who works on what: assignments, their leases and hand-overs, and the numbers by which assessors know items."""
