"""Items, the things to judge, and which of them are pooled."""
