"""`python -m tracks`: apply one evaluation's rules to files, without a site, a database or a network.

Exit status: 0 done, 1 the input has errors, 2 the call is wrong. Results go to standard output, problems to
standard error (for `check` the problems are the result).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from scoring.commands.command_line import CallParser, ExampleHelp, Problems, run_call
from scoring.version import version
from tracks.calls import TrackHelp
from tracks.commands import run_check, run_convert, run_list, run_score, run_segment
from tracks.designs import commands as designs

EXAMPLES = {
    "list": "python -m tracks list",
    "check": "python -m tracks check tac2008-qa --topics questions.xml --docnos docnos.txt.gz myrun1",
    "convert": "python -m tracks convert TRACK --topics topics.json myrun.json",
    "segment": "python -m tracks segment tac2008-qa myrun1",
    "score": "python -m tracks score tac2008-qa --gold export/ --run myrun1 --run otherrun1 --set beta=3",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status. Arguments that can't be parsed, and `--help`, end the program with
    SystemExit.
    """
    options = _parser().parse_args(arguments)
    return run_call("python -m tracks", partial(options.command, options))


def _parser() -> argparse.ArgumentParser:
    parser = CallParser(prog="python -m tracks", description="What one evaluation's rules say, from files alone.")
    parser.add_argument("--version", action="version", version=f"Assay {version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace, Problems], int], text: str) -> argparse.ArgumentParser:
        epilog = f"Example:\n  {EXAMPLES[name]}"
        sub = commands.add_parser(
            name, help=text, description=text, epilog=epilog, formatter_class=ExampleHelp, add_help=False
        )
        sub.set_defaults(command=command)
        about = (
            "" if name == "list" else f"; after TRACK, too: its settings, tasks and gold files ({name} TRACK --help)"
        )
        sub.add_argument("-h", "--help", action=TrackHelp, help=f"show this help and end{about}")
        sub.add_argument("--format", choices=("tsv", "json"), default="tsv", help="how results are printed")
        if name != "list":
            sub.add_argument("track", metavar="TRACK", help="key of a track, as `list` prints it")
            sub.add_argument("--task", metavar="T", help="key of a task, if tasks have run files of their own")
            sub.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of the track")
        return sub

    add("list", run_list, "List the tracks: key, label, tasks, source.")
    check = add("check", run_check, "Check a run file: LINE, SEVERITY, CODE, MESSAGE for each rule broken.")
    topics: dict[str, Any] = {"action": "append", "metavar": "F"}
    check.add_argument("--topics", required=True, help="the topic or question files", **topics)
    check.add_argument("--docnos", metavar="F", help="valid docnos, one a line (.gz and .zst are read)")
    check.add_argument("--documents", metavar="F", action="append", default=[], help="files or folders of texts quoted")
    check.add_argument(
        "--form", metavar="KEY=VALUE", action="append", default=[], help="a value of the submission form: team=…"
    )
    check.add_argument(
        "--repair",
        metavar="OUT",
        help="also write the run, safely repaired, to this new file",
    )
    check.add_argument("run", metavar="RUNFILE", help="the run, - for standard input")
    convert = add("convert", run_convert, "Write the track's official conversion of a run.")
    convert.add_argument("--topics", default=[], help="the topic files, if the conversion needs them", **topics)
    convert.add_argument("run", metavar="RUNFILE", help="the run, - for standard input")
    segment = add("segment", run_segment, "Cut a file as the track does: passages, sentences, strings.")
    segment.add_argument("--topics", default=[], help="the topic files, if the cutting needs them", **topics)
    segment.add_argument("run", metavar="FILE", help="the run, - for standard input")
    score = add("score", run_score, "Score runs from exported judgments: RUN, TOPIC, MEASURE, VALUE.")
    many: dict[str, Any] = {"nargs": "+", "action": "extend"}
    score.add_argument("--gold", metavar="F", help="exported files, or the folder they are in", required=True, **many)
    score.add_argument("--run", metavar="F", default=[], help="run files, - for standard input", **many)
    score.add_argument("--topics", default=[], help="the topic files, if run files are read with them", **topics)
    score.add_argument("--docnos", metavar="F", help="valid docnos, one a line: runs are checked by them, too")
    score.add_argument("--in-spite-of-errors", action="store_true",
                       help="score runs with errors, too: a last column errors:N marks every row")  # fmt: skip
    score.add_argument("--explain", metavar=("TOPIC", "MEASURE"), nargs=2, help="show how one value came about")
    text = "An evaluation as one TOML file: check it, begin or compare it, or print what it may say."
    designs.add_commands(commands.add_parser("design", help=text, description=text))
    return parser


if __name__ == "__main__":
    sys.exit(main())
