"""What people say of items: the ledger of judgments, what is current, whose judgments count, and the items on the
bench.
"""
