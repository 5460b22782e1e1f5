"""Score runs by ranx: QRELS MEASURE,… RUN …; prints run, topic, measure, value. Run by the Python that has ranx."""

import sys

from ranx import Qrels, Run, evaluate

qrels_path, measures, *paths = sys.argv[1:]
qrels = Qrels.from_file(qrels_path, kind="trec")
for path in paths:
    run = Run.from_file(path, kind="trec")
    evaluate(qrels, run, measures.split(","), make_comparable=True)
    for measure, of_topics in run.scores.items():
        for topic, value in of_topics.items():
            print(run.name, topic, measure, f"{value:.6f}", sep="\t")
