"""What people say of items: the ledger of judgments, what is current, whose word counts, and the items on the bench."""
