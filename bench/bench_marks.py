"""Measure on real texts how often the judged text is marked in its document, and how long marking takes.

    .venv/bin/python -m bench.bench_marks --data FOLDER [--abstracts FILE] [--json FILE]

FOLDER holds folders of published data, of which any may be missing: context25 (claims, and the snippets that people
took from full texts), ts2013-2014 (nuggets, and the updates in which people found them), ikat2023 (passages for turns
of a dialogue), biogen2025-runs (sentences of answers; --abstracts gives the cited texts, as JSON lines {"id": …,
"text": …}). The marks of each text are those of the site's own module (`assess.documents.marks`). The figures are
printed for each set:

    texts      pairs of a judged text and a document
    stand      pairs in which the document contains all words of the judged text in a row, by stems (found without that
               module)
    marked     share of these in which such a place is the first mark, at which the document opens
    offered    share of the other pairs in which the document opens at a likely sentence
    nothing    share of all pairs in which nothing is marked

For iKAT, two further figures say how often the words of the question mark nothing in a passage, as the user said them
and as they are resolved. For claims, three say how often a sentence that people took is among the first 1, 3 and 10
that are offered as evidence.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from time import process_time
from typing import Any

from assess.documents.marks import SoughtWords, question_words, sentences_of
from assess.documents.words import find_words, words_of
from assess.rendering.highlight import number_marks
from bench.figures import Figure, add_json_option, write

MARKED = Figure(name="marked", what="judged texts marked where they stand when the document opens", asked=0.95, unit="")
SECONDS = Figure(name="seconds", what="processor seconds for a document of a million characters", asked=5, unit="s")
FIGURES = (MARKED, SECONDS)
FIRST = (1, 3, 10)
SHORTEST, MOST, RUN = 5, 0.8, 3
"""When a sentence counts as part of a snippet: the least number of its words, the share of them that the snippet must
contain, and how many of these must follow one another.
"""
LANGUAGE = "en"
_PAGE = re.compile(r"\s*\(pp?\.[^)]*\)\s*$")


@dataclass(kw_only=True, slots=True)
class Counts:
    """The number of pairs of one set so far, and how many of them count for each figure."""

    texts: int = 0
    stand: int = 0
    marked: int = 0
    offered: int = 0
    nothing: int = 0

    def add(self, judged: str, document: str) -> None:
        """Count one pair of a judged text and a document."""
        marks = SoughtWords(answer=judged).marks_in(document, LANGUAGE)
        found = number_marks(marks)
        opens_at = next((mark for mark, number in found.marks if number == 1), None)
        self.texts += 1
        self.nothing += not marks
        if stands_in(judged, document):
            self.stand += 1
            if opens_at is not None and opens_at.kind == "answer":
                place = document[opens_at.start : opens_at.end]
                self.marked += words_of(place, LANGUAGE) == words_of(judged, LANGUAGE)
        else:
            self.offered += found.is_likely

    def line(self, name: str) -> str:
        """Return the line that is printed for these counts. ``name`` comes first; a share of nothing is "-"."""
        shares = ((self.marked, self.stand), (self.offered, self.texts - self.stand), (self.nothing, self.texts))
        written = "\t".join(f"{part / of:.3f}" if of else "-" for part, of in shares)
        return f"{name}\t{self.texts}\t{self.stand}\t{written}"


def main() -> None:
    """Read the data, mark the texts, and print and write the figures."""
    options = _options()
    every = Counts()
    print("set\ttexts\tstand\tmarked\toffered\tnothing")
    for name, pairs in sets_of(options.data, options.abstracts):
        own = Counts()
        for judged, document in pairs:
            for counts in (own, every):
                counts.add(judged, document)
        if own.texts:
            print(own.line(name), flush=True)
    if not every.stand:
        raise SystemExit(f"{options.data} holds no judged text that stands in its document.")
    print(every.line("all"))
    for line in (*_turns(options.data), *_evidence(options.data)):
        print(line)
    seconds = _seconds(options.data)
    print(f"a million characters\t{seconds:.2f} s")
    write(
        options.json,
        [
            MARKED.measured([every.marked / every.stand], size=every.stand, of="texts that stand there"),
            SECONDS.measured([seconds], size=1_000_000, of="characters"),
        ],
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the folders")
    parser.add_argument("--abstracts", type=Path, help="JSON lines with id and text of what BioGen's answers cite")
    add_json_option(parser)
    return parser.parse_args()


def stands_in(judged: str, document: str) -> bool:
    """Return whether a document contains the words of a judged text in a row, compared by stems. An empty text is in
    no document.

    >>> stands_in("red wines", "cheap red, wine"), stands_in("wine red", "red wine"), stands_in("", "red wine")
    (True, False, False)
    """
    wanted = words_of(judged, LANGUAGE)
    words = words_of(document, LANGUAGE)
    starts = [at for at, word in enumerate(words) if wanted and word == wanted[0]]
    return any(words[at : at + len(wanted)] == wanted for at in starts)


def sets_of(folder: Path, abstracts: Path | None) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    """Yield (name, pairs of a judged text and a document) for each set whose files are in the folder."""
    claims = folder / "context25" / "task2-train-dev.json"
    if claims.exists():
        yield "context25 claims", ((each["claim"], text) for each, text in _claims(folder))
        yield "context25 snippets", ((each, text) for claim, text in _claims(folder) for each in _taken(claim))
    for path in sorted((folder / "ts2013-2014").glob("*-matches.tsv.gz")):
        yield f"nuggets {path.name[:4]}", _matches(path)
    for path in sorted((folder / "biogen2025-runs").glob("*.jsonl")) if abstracts else ():
        yield f"biogen {path.stem}", _cited(path, _texts(abstracts) if abstracts else {})


def _claims(folder: Path) -> Iterator[tuple[Any, str]]:
    texts = json.loads((folder / "context25" / "full-texts-task2-train-dev.json").read_text())
    for claim in json.loads((folder / "context25" / "task2-train-dev.json").read_text()):
        if claim["citekey"] in texts:
            yield claim, texts[claim["citekey"]]


def _taken(claim: Any) -> list[str]:
    return [_PAGE.sub("", each) for each in claim["context"]]


def _matches(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (nugget, update in which somebody found it) for every tenth match, unless it was made automatically."""
    year = path.name[:4]
    nuggets = {row["nugget_id"]: row["nugget_text"] for row in _rows(path.with_name(f"{year}-nuggets.tsv.gz"))}
    updates = {row["update_id"]: row["update_text"] for row in _rows(path.with_name(f"{year}-updates.tsv.gz"))}
    for at, row in enumerate(_rows(path)):
        if at % 10 == 0 and row["auto_p"] != "1" and row["nugget_id"] in nuggets and row["update_id"] in updates:
            yield nuggets[row["nugget_id"]], updates[row["update_id"]]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        names = file.readline().split()
        for line in file:
            yield dict(zip(names, line.rstrip("\r\n").split("\t", len(names) - 1), strict=False))


def _texts(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8") as file:
        return {str(row["id"]): row["text"] for row in map(json.loads, file)}


def _cited(path: Path, texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as file:
        for answer in map(json.loads, file):
            for sentence in answer["responses"]:
                yield from ((sentence["text"], texts[docno]) for docno in sentence["citations"] if docno in texts)


def _turns(folder: Path) -> Iterator[str]:
    """Yield a line that says in which share of iKAT's passages the words of the question mark nothing, as the user said
    it and as it is resolved. Yield nothing if the files are missing.
    """
    path = folder / "ikat2023" / "2023_test_topics.json"
    if not path.exists():
        return
    resolved = {
        f"{dialogue['number']}_{turn['turn_id']}": (turn["utterance"], turn["resolved_utterance"])
        for dialogue in json.loads(path.read_text())
        for turn in dialogue["turns"]
    }
    passages = {}
    with (folder / "ikat2023" / "2023_test_topics_psg_text.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            passages[f"{row['doc_id']}:{row['passage_id']}"] = row["passage_text"]
    none, total = [0, 0], 0
    with (folder / "ikat2023" / "qrels.txt").open() as file:
        for topic, _, docno, _ in map(str.split, file):
            if topic in resolved and docno in passages:
                total += 1
                for place, asked in enumerate(resolved[topic]):
                    none[place] += not SoughtWords(terms=question_words([asked])).marks_in(passages[docno], LANGUAGE)
    if total:
        as_said, as_meant = (f"{count / total:.3f}" for count in none)
        yield f"iKAT passages\t{total}\tnothing marked of the question as said {as_said}, as resolved {as_meant}"


def _evidence(folder: Path) -> Iterator[str]:
    """Yield a line that says how often a sentence that people took for a claim is among the first that are offered.
    Yield nothing if the files are missing.
    """
    if not (folder / "context25" / "task2-train-dev.json").exists():
        return
    within, total = dict.fromkeys(FIRST, 0), 0
    for claim, text in _claims(folder):
        taken = _places(text, _taken(claim))
        if not taken:
            continue
        total += 1
        _, likely = SoughtWords(answer=claim["claim"]).find_in(text, LANGUAGE)
        for first in FIRST:
            within[first] += any(start < stop and begin < end for start, end in likely[:first] for begin, stop in taken)
    if total:
        shares = ", ".join(f"first {first}: {found / total:.2f}" for first, found in within.items())
        yield f"context25 evidence\t{total} claims\t{shares}"


def _places(text: str, snippets: list[str]) -> list[tuple[int, int]]:
    """Return the places of snippets in a text, found by the stems of their words, and those of sentences that are
    nearly in a snippet.

    The texts come from PDFs, which break words and lose signs. By the stems alone, 137 of Context25's 191 snippets are
    found; with the sentences, 173.
    """
    sentences = [(span, words_of(text[slice(*span)], LANGUAGE)) for span in sentences_of(text)]
    taken = [words_of(snippet, LANGUAGE) for snippet in snippets]
    nearly = [span for span, words in sentences if any(_is_in(words, snippet) for snippet in taken)]
    return [*_exact_places(text, snippets), *nearly]


def _is_in(sentence: list[str], snippet: list[str]) -> bool:
    """Return whether a snippet contains four in five words of a sentence, three or more of them in a row.

    >>> _is_in("the red wine is so cheap".split(), "we saw that the red wine is cheap".split())
    False
    >>> _is_in("the red wine is so".split() + ["cheap"] * 9, "the red wine is".split() + ["cheap"] * 9)
    True
    """
    own = set(sentence)
    if len(own) < SHORTEST or len(own.intersection(snippet)) < MOST * len(own):
        return False
    runs = SequenceMatcher(None, sentence, snippet, autojunk=False).get_matching_blocks()
    return sum(run.size for run in runs if run.size >= RUN) >= MOST * len(sentence)


def _exact_places(text: str, snippets: list[str]) -> list[tuple[int, int]]:
    """Return the places at which a text contains all words of a snippet, or of one of its sentences, in a row. Words
    are compared by stems.
    """
    found = list(find_words(text, LANGUAGE))
    line = f" {' '.join(word for word, _, _ in found)} "
    places = []
    for snippet in snippets:
        for part in [snippet, *(each for each in re.split(r"(?<=[.!?])\s+", snippet) if len(each.split()) > 5)]:
            wanted = words_of(part, LANGUAGE)
            at = line.find(f" {' '.join(wanted)} ") if wanted else -1
            if at >= 0:
                first = line[:at].count(" ")
                places.append((found[first][1], found[first + len(wanted) - 1][2]))
    return places


def _seconds(folder: Path) -> float:
    """Return the CPU seconds for finding everything that is marked in a million characters. The text is a paper of
    Context25 or, if there is none, this module's docstring.
    """
    text = (
        next((text for _, text in _claims(folder)), __doc__ or "") if (folder / "context25").exists() else __doc__ or ""
    )
    long = (text * (1 + 1_000_000 // len(text)))[:1_000_000]
    before = process_time()
    SoughtWords(answer="localisation of WAVE to the leading edge", terms=["knockout", "WASP"]).find_in(long, LANGUAGE)
    return process_time() - before


if __name__ == "__main__":
    main()
