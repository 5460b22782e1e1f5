"""Score runs by pytrec_eval as its README does: QRELS MEASURE,… RUN …; prints run, topic, measure, value."""

import sys
from pathlib import Path

import pytrec_eval

qrels_path, measures, *paths = sys.argv[1:]
with Path(qrels_path).open() as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(measures.split(",")))
for path in paths:
    with Path(path).open() as file:
        run = pytrec_eval.parse_run(file)
    for topic, values in evaluator.evaluate(run).items():
        for measure, value in values.items():
            print(Path(path).name, topic, measure, f"{value:.6f}", sep="\t")
