"""A design with two questions, of which versions are made."""

DESIGN = """design = 1
key = "misleading-2026"
title = "Misleading passages"

[runs]
form = "ranked"
limit = 1000

[pool]
depth = 20

[[stages]]
key = "passages"
work = "grade"
people = 2

[[stages.questions]]
key = "misleading"
ask = "Is it misleading?"
level = "ordinal"
grades = [
  { value = 2, press = "y", name = "yes", gain = 0, note = "offered" },
  { value = 1, press = "s", name = "somewhat", gain = 1 },
  { value = 0, press = "o", name = "no", gain = 2 },
]

[[stages.questions]]
key = "readability"
ask = "How readable is it?"
grades = "1-5"
ends = ["unreadable", "clear"]

[scores]
question = "misleading"
relevant_from = 1
measures = ["nDCG@10", { measure = "AP", question = "readability", relevant_from = 4, label = "AP (readable)" }]
official = "nDCG@10"
"""
