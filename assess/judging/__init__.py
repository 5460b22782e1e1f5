"""The ledger of judgments: which judgments are current, whose judgments count, and which items a bench shows."""
