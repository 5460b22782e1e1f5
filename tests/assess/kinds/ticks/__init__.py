"""A toy kind of work: whether each pooled item matters, yes or no. Copied and loaded by `test_toy_kind`."""
