"""Five small question-answering programs over any pages and questions: runs to demonstrate and to try a campaign with.

python -m bench.demo_runs --documents F --topics F --out DIR
"""
