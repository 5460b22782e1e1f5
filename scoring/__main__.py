"""`python -m scoring`: measures, pools, agreement and conversion from files alone, without a site, a database or a
network.

Exit status: 0 success, 1 the input has errors, 2 the call is wrong. Results go to standard output, problems to standard
error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from scoring.commands.command_line import CallParser, ExampleHelp, run_call
from scoring.formats.spec import real
from scoring.version import version

FILES = "Files may be gzip, zstd, bzip2 or xz; - reads standard input."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status. Raises SystemExit if the arguments are wrong or help is asked for."""
    options = _parser().parse_args(arguments)
    return run_call(options.prog, partial(options.command, options))


class _CommandParser(CallParser):
    """The parser of one command. Its arguments are added only when this command is called, so that the modules of all
    other commands are not imported.
    """

    complete: Callable[[argparse.ArgumentParser], None] | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Add the command's arguments to the parser, then parse as `ArgumentParser` does."""
        complete, self.complete = self.complete, None
        if complete is not None:
            complete(self)
        return super().parse_known_args(args, namespace)


def _parser() -> argparse.ArgumentParser:
    parser = CallParser(prog="python -m scoring", description="Measures, pools and agreement from files alone.")
    parser.add_argument("--version", action="version", version=f"Assay {version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_CommandParser)

    def add(name: str, complete: Callable[[argparse.ArgumentParser], None], text: str, example: str) -> None:
        epilog = f"example:\n  python -m scoring {example}".rstrip()
        made = commands.add_parser(
            name, help=text, description=f"{text}. {FILES}", epilog=epilog, formatter_class=ExampleHelp
        )
        made.add_argument("--format", choices=("tsv", "json"), default="tsv", help="how results are printed")
        made.set_defaults(prog=f"python -m scoring {name}")
        made.complete = complete

    add("formats", _formats, "list the file formats", "formats")
    add("what", _what, "say what each file is, and where it belongs", "what topics.xml run")
    add("check", _check, "check a run of answers as the checker of its evaluation does",
        "check --rules dragun-2025 --topics topics.jsonl run.jsonl")  # fmt: skip
    add("measures", _measures, "list the measures", "measures")
    add("rank", _rank, "score ranked runs", "rank --qrels qrels --run my.run -m nDCG@10 -m AP")
    add("nuggets", _nuggets, "score nuggets found in responses",
        "nuggets --nuggets nuggets.tsv --matches matches.txt --responses responses.txt --beta 3")  # fmt: skip
    add("pool", _pool, "build a pool", "pool --strategy depth --depth 10 --run a.run --run b.run")
    add("agree", _agree, "agreement of judges", "agree qrels.anna qrels.ben --level ordinal")
    add("compare", _compare, "test differences of runs", "compare --qrels qrels -m AP --run a.run --run b.run")
    add("correlate", _correlate, "correlate two orders of runs", "correlate before.txt after.txt -m AP")
    add("convert", _convert, "turn one format into another", "convert --from qrels --to item-values qrels.txt")
    add("find", _find, "find documents of large collections by their docnos",
        "find --collection collection.toml --docnos pool.txt --out BUNDLE")  # fmt: skip
    add("verify", _verify, "check a release: sums, scores, agreement", "verify release.zip")
    return parser


def _formats(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.convert_and_find import run_formats

    parser.set_defaults(command=run_formats)


def _measures(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.convert_and_find import run_measures

    parser.set_defaults(command=run_measures)


def _qrels_and_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--qrels", required=True, metavar="F", help="topic iteration docno grade")
    parser.add_argument("--run", required=True, action="append", metavar="F", help="a TREC run; may be repeated")
    parser.add_argument("--complete", action="store_true", help="missing topics of the qrels count as 0 (trec_eval -c)")
    parser.add_argument("--binary", type=_level, metavar="N", help="lowest grade that is relevant (trec_eval -l)")
    parser.add_argument("-M", "--depth", type=_level, metavar="N", help="only the first N documents of each topic")
    parser.add_argument("-J", "--judged", action="store_true", help="only documents that are judged")


def _level(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text[:9]) >= 1 or len(text) > 9:
        raise argparse.ArgumentTypeError("must be a whole number, 1 or more, of at most nine digits")
    return int(text)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError("must be a whole number, 0 or more, of at most nine digits")
    return int(text)


def _number(text: str) -> float:
    value = real(text)
    if value is None:
        raise argparse.ArgumentTypeError("must be a finite number")
    return value


def _amount(text: str) -> float:
    from scoring.pooling.recipe import MOST

    value = _number(text)
    if not 0 <= value <= MOST:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {MOST:,}")
    return value


def _rank(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.rank_and_compare import run_rank

    parser.set_defaults(command=run_rank)
    parser.add_argument("-m", "--measure", required=True, action="append", metavar="MEASURE",
                        help="ours or trec_eval's name (map, P_10, all_trec); may be repeated")  # fmt: skip
    _qrels_and_runs(parser)


def _nuggets(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.nuggets import run_nuggets

    parser.set_defaults(command=run_nuggets)
    parser.add_argument("--nuggets", metavar="F", help="topic number vital|okay text, or .jsonl")
    parser.add_argument("--matches", metavar="F", help="topic run item nugget, or .jsonl (assign form)")
    parser.add_argument("--nuggetizer", metavar="F", help="nuggetizer's assign file alone: its own four measures")
    parser.add_argument("--verdicts", metavar="F", help="what reports say of rubrics' answers (DRAGUN), CSV")
    parser.add_argument("--rubrics", metavar="F", action="append",
                        help="the rubric of a topic, or of several; may be repeated (--verdicts)")  # fmt: skip
    parser.add_argument("--votes", metavar="F", help="topic nugget assessor vital|okay")
    lengths = parser.add_mutually_exclusive_group()
    lengths.add_argument("--lengths", metavar="F", help="topic run characters")
    lengths.add_argument("--responses", metavar="F", help="topic run docno answer-string; characters are counted")
    parser.add_argument("--beta", type=_amount, default=3.0, help="weight of recall against precision")
    parser.add_argument("--allowance", type=_count, default=100, help="characters for each nugget returned")
    parser.add_argument("--pyramid", action="store_true", help="weights from votes")


def _pool(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.pools import run_pool
    from scoring.pooling import STRATEGIES

    parser.set_defaults(command=run_pool)
    parser.add_argument("--strategy", choices=STRATEGIES, default="depth", help="how documents are chosen")
    parser.add_argument("--depth", type=_level, help="documents of each run that are looked at; depth: 100, else all")
    parser.add_argument("--depths", default="", metavar="PRIORITY:DEPTH,…", help="as in 1:100,2:50 (priority)")
    parser.add_argument("--priorities", metavar="F", help="lines of run tag and priority (priority)")
    parser.add_argument("--budget", type=_level, action="append", metavar="N",
                        help="the largest number of documents for a topic; may be repeated with --replay")  # fmt: skip
    parser.add_argument("--replay", metavar="QRELS",
                        help="print what pools of each budget would have found: topic budget documents relevant "
                             "recall unjudged")  # fmt: skip
    parser.add_argument("--seed", type=_count, default=0, help="of the sample (stratified)")
    parser.add_argument("-k", type=_count, default=60, help="of reciprocal rank fusion")
    parser.add_argument("-p", type=_number, default=0.8, help="of rank-biased fusion")
    parser.add_argument("--combine", choices=("sum", "max"), default="sum", help="a document's weights (rrf, rbp)")
    parser.add_argument("--strata", default="", metavar="BOUND:RATE,…", help="as in 10:1,50:0.2 (stratified)")
    parser.add_argument("--strata-by", choices=("rank", "runs"), default="rank", help="what the bounds count")
    parser.add_argument(
        "--union", action="append", default=[], metavar="F", help="a document list that is always included"
    )
    parser.add_argument(
        "--minus",
        action="append",
        default=[],
        metavar="F",
        help="qrels: judged documents are left out; move-to-front and max-mean continue from them",
    )
    parser.add_argument("--binary", type=_level, default=1, metavar="N", help="lowest grade that is relevant")
    parser.add_argument("--digest", action="store_true", help="print recipe, size and sha256 of the pool instead")
    parser.add_argument("--run", required=True, action="append", metavar="F", help="a TREC run; may be repeated")


def _compare(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.rank_and_compare import run_compare
    from scoring.statistics.multiple_comparisons import CORRECTIONS, TESTS

    parser.set_defaults(command=run_compare)
    parser.add_argument("-m", "--measure", required=True, action="append", metavar="MEASURE",
                        help="as in AP or nDCG@10; may be repeated, p is corrected within each")  # fmt: skip
    parser.add_argument("--correction", choices=CORRECTIONS, help="of p for the number of pairs; tukey has its own")
    parser.add_argument("--top", choices=TESTS, metavar="TEST",
                        help="print run, mean, p against the best, top or below by t, randomisation, wilcoxon, sign or"
                             " tukey")  # fmt: skip
    parser.add_argument("--seed", type=_count, default=0, help="of the tests that shuffle")
    _qrels_and_runs(parser)


def _agree(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.agree_and_correlate import run_agree
    from scoring.statistics.agreement import LEVELS

    parser.set_defaults(command=run_agree)
    parser.add_argument("file", nargs="+", help="qrels, or topic item label (a number or a word); one file a judge")
    parser.add_argument("--order", default="", metavar="WORD,…", help="labels in words, from the lowest to the highest")
    parser.add_argument("--level", choices=LEVELS, default="nominal", help="what the labels are")
    parser.add_argument("--binary", type=_number, metavar="N", help="values of N or more are 1, others 0")
    parser.add_argument("--per-topic", action="store_true", help="every topic before all of them: topic measure value")
    parser.add_argument("--bootstrap", choices=("topics", "items"), help="95%% intervals: what is drawn anew")
    parser.add_argument("--seed", type=_count, default=0, help="of the intervals")


def _correlate(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.agree_and_correlate import run_correlate

    parser.set_defaults(command=run_correlate)
    parser.add_argument("first", metavar="A", help="run value, or what rank prints (its rows of topic all are read)")
    parser.add_argument("second", metavar="B", help="the same; the true order for tau_ap")
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        default=[],
        metavar="MEASURE",
        help="the measure, in files with several; given twice: first that of A, then that of B",
    )


def _what(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.convert_and_find import run_what

    parser.set_defaults(command=run_what)
    parser.add_argument("file", nargs="+", metavar="FILE", help="any file")


def _check(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.check import NAMES, run_check

    parser.set_defaults(command=run_check)
    parser.add_argument("--rules", required=True, choices=NAMES, metavar="RULES", help=", ".join(NAMES))
    parser.add_argument("--topics", metavar="F", help="the topics that are asked, all of which may have to be answered")
    parser.add_argument(
        "--words", type=_level, metavar="N", help="the limit of words of an answer, if it differs from the rules'"
    )
    parser.add_argument("--strict-length", action="store_true", help="an answer that is too long is an error")
    parser.add_argument("file", metavar="FILE", help="the run")


def _convert(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.convert_and_find import run_convert

    parser.set_defaults(command=run_convert)
    parser.add_argument("--from", dest="source", required=True, metavar="FORMAT", help="the format of the file")
    parser.add_argument("--to", dest="target", required=True, metavar="FORMAT", help="the format that is written")
    parser.add_argument("file", metavar="FILE", help="a file in the first format")


def _find(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.convert_and_find import run_find

    parser.set_defaults(command=run_find)
    parser.add_argument("--collection", required=True, metavar="F", help="TOML: where the shards are, and their form")
    parser.add_argument("--docnos", required=True, metavar="F", help="a docno a line, or what pool prints")
    parser.add_argument("--out", required=True, metavar="FOLDER",
                        help="the bundle; a stopped search continues in it")  # fmt: skip
    parser.add_argument(
        "--workers", type=_level, metavar="N", help="processes on this machine (default: one for each core)"
    )
    parser.add_argument(
        "--scheduler", default="", metavar="ADDRESS", help="of a Dask cluster, as in tcp://scheduler.example.org:8786"
    )
    parser.add_argument("--pages", action="store_true", help="prepare pages and texts for the site in the same pass")
    parser.add_argument("--signatures", action="store_true", help="MinHash of the texts, for near-identical documents")


def _verify(parser: argparse.ArgumentParser) -> None:
    from scoring.commands.verify import SCORER, run_verify

    parser.set_defaults(command=run_verify)
    parser.add_argument("release", metavar="RELEASE", help="its folder or zip")
    parser.add_argument("--sha256", default="", metavar="HEX",
                        help="the sha256 of manifest.json that the campaign published")  # fmt: skip
    parser.add_argument("--scorer", default=SCORER, metavar="MODULE:FUNCTION",
                        help="what computes the scores of its track again (%(default)s)")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
