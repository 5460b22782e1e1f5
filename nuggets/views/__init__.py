"""The workbenches of answer classes, nugget lists, matches and votes."""
