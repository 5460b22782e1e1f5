"""The collection file: what it says, and what is said of one that is wrong, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.collections.collection_file import BadCollection, read_collection
from scoring.collections.known_collections import PRESETS
from scoring.collections.model import Address
from tests.scoring.collections.shard_files import collection_toml

PLAIN = 'shards = ["a.gz"]\nform = "json-lines"\nid = "docid"\ntext = "body"\n'


def issues(folder: Path, text: str) -> list[tuple[int | str, str]]:
    with pytest.raises(BadCollection) as raised:
        read_collection(collection_toml(folder, text))
    return [(issue.where, issue.code) for issue in raised.value.issues]


def test_a_whole_file(tmp_path: Path) -> None:
    text = (
        PLAIN + 'title = "title"\nname = "Ours"\n[address]\npattern = \'(?P<f>a)_(?P<byte>\\d+)\'\nshard = "{f}.json"\n'
    )
    found = read_collection(collection_toml(tmp_path, text))
    assert (found.name, found.shards, found.form, found.id, found.text) == (
        "Ours",
        ("a.gz",),
        "json-lines",
        ("docid",),
        ("body",),
    )
    assert found.address == Address(pattern=r"(?P<f>a)_(?P<byte>\d+)", shard="{f}.json")
    assert found.folder == str(tmp_path.resolve())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_needs_only_its_shards(tmp_path: Path, preset: str) -> None:
    found = read_collection(collection_toml(tmp_path, f'preset = "{preset}"\nshards = "*.gz"\n'))
    assert (found.name, found.shards) == (preset, ("*.gz",))


def test_a_key_of_the_file_wins_over_the_preset(tmp_path: Path) -> None:
    found = read_collection(collection_toml(tmp_path, 'preset = "pyserini"\nshards = "a"\ntext = ["text"]\n'))
    assert (found.id, found.text) == (("id",), ("text",))


@pytest.mark.parametrize(
    ("docno", "place"),
    [
        ("msmarco_v2.1_doc_29_677149", ("msmarco_v2.1_doc_29.json", 677149)),
        ("msmarco_v2.1_doc_51_766815931#2_1606878413", ("msmarco_v2.1_doc_segmented_51.json", 1606878413)),
        ("shard_01789_3390", ("shard_01789.parquet", 3390)),
        ("clueweb22-en0004-67-08978", ("en0004-67.json", 8978)),
    ],
)
def test_ids_that_are_addresses(docno: str, place: tuple[str, int]) -> None:
    """“row 3390 of shard_01789 is shard_01789_3390”; a segment's byte is that of the segmented file."""
    addresses = [Address(**preset["address"]) for preset in PRESETS.values() if "address" in preset]
    assert place in [address.place_of(docno) for address in addresses]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLAIN + "form = \n", [(5, "toml")]),
        ('shards = ["a.gz"\nform = "x"\n', [(2, "toml")]),
        (PLAIN + "colour = 1\n", [(5, "unknown-key")]),
        (PLAIN.replace('"json-lines"', '"csv"'), [(2, "value")]),
        (PLAIN.replace('"body"', "3"), [(4, "type"), (4, "missing")]),
        (PLAIN.replace('text = "body"\n', ""), [(1, "missing")]),
        (PLAIN.replace('id = "docid"', 'id = ["docid", "id"]'), [(3, "missing")]),
        (PLAIN.replace("shards", "#"), [(1, "missing")]),
        ('preset = "clueweb"\n' + PLAIN, [(1, "value")]),
        (PLAIN + '[address]\npattern = "a("\nshard = "b"\n', [(6, "value")]),
        (PLAIN + '[address]\npattern = "(?P<row>[0-9]+)"\nshard = "b"\n', [(6, "value")]),
        (PLAIN + '[address]\npattern = "(?P<byte>[0-9]+)"\nshard = "{file}"\n', [(7, "value")]),
        (PLAIN + '[address]\npattern = "(?P<byte>[0-9]+)"\n', [(5, "missing")]),
        (PLAIN.replace("json-lines", "trec-sgml"), [(3, "value"), (4, "value")]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: list[tuple[int, str]]) -> None:
    assert issues(tmp_path, text) == said


def test_a_line_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b'name = "a"\nform = "\xff"\n')
    with pytest.raises(BadCollection) as raised:
        read_collection(path)
    assert [(issue.where, issue.code) for issue in raised.value.issues] == [(2, "not-utf8")]
