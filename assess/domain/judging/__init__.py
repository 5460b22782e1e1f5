"""Rules and writes of judging: what assessors, adjudicators and machine judges say of items."""
