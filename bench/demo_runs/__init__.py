"""The demonstration campaign: its pages, five small question-answering programs, and what is made of them.

    python -m bench.demo_runs --documents F --topics F --out DIR      the five programs over any pages and questions
    python -m bench.demo_runs.build                                   tests/data/tracks/tac2008-qa from posts/
    python -m bench.demo_runs.regenerate_goldens                      the broken files and the issues expected of them
    python -m bench.demo_runs.regenerate [KEY …]                      the same, and what is expected of exports
The pages were written for this project; people, firms and towns in them are invented.
"""
