"""Rules and writes of runs: submitting, checking, mending, withdrawing them."""
