"""The tables of a release as frames, and the notebook that goes from a release to plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib
import pytest

import scoring
from scoring.records import Score
from scoring.release.release_tables import mean_lines, score_lines
from scoring.release.releases import SCORES, open_release
from tests.scoring.release_by_hand import packed, sign
from tests.scoring.release_by_hand import release as release
from tracks.rescore import rescore

NOTEBOOK = Path(__file__).parents[2] / "docs" / "release-to-plots.ipynb"


def test_every_table_is_a_frame(release: Path) -> None:
    found = scoring.read_release(release)
    assert {name: len(frame) for name, frame in found.items() if name not in ("scores", "means", "agreement")} == {
        "topics": 1, "judgments": 5, "items": 3, "pools": 3, "work": 2,
    }  # fmt: skip
    assert found["topics"]["number"].tolist() == ["1"]
    assert found["judgments"].groupby("by")["value"].sum().to_dict() == {"assessor-1": 2, "assessor-2": 2}
    ap = found["scores"].query("run == 'RUN-A' and topic == '1' and measure == 'AP'")
    assert (
        ap["value"].tolist()
        == scoring.rank(release / "exports/qrels.txt", release / "runs/RUN-A.txt", "AP")["value"].tolist()[:1]
    )
    assert found["means"]["run"].unique().tolist() == ["RUN-A"]
    assert "cohen_kappa" in found["agreement"]["measure"].tolist()


def test_what_is_no_table_is_refused_with_its_line(release: Path, tmp_path: Path) -> None:
    with pytest.raises(scoring.InputError, match=r"there is no manifest\.json"):
        scoring.read_release(tmp_path)
    (release / SCORES / "means.tsv").write_text("RUN-A\tAP\thigh\t1\n")
    sign(release)
    with pytest.raises(scoring.InputError, match=r"scores/means\.tsv, line 1: run, measure, value, topics should"):
        scoring.read_release(release)


def with_two_runs(release: Path) -> Path:
    """The same release with its run twice, the second with its documents turned round."""
    manifest = json.loads((release / "manifest.json").read_text())
    forms = json.loads((release / "runs/forms.json").read_text())
    forms["RUN-B"] = forms["RUN-A"] | {"tag": "RUN-B"}
    (release / "runs/forms.json").write_text(json.dumps(forms, indent=1, sort_keys=True) + "\n")
    (release / "runs/RUN-B.txt").write_text("1 Q0 B 1 3.0 RUN-B\n1 Q0 C 2 2.0 RUN-B\n1 Q0 A 3 1.0 RUN-B\n")
    (first,) = manifest["runs"]
    runs = {"runs": [first, first | {"name": "RUN-B", "file": "runs/RUN-B.txt"}], "scored": ["RUN-A", "RUN-B"]}
    sign(release, **runs)
    means: list[Score] = []
    with open_release(release) as opened:
        for run, scores in rescore(opened):
            means += (found := list(scores))
            (release / f"scores/{run}.tsv").write_text("".join(f"{line}\n" for line in score_lines(found)))
    (release / "scores/means.tsv").write_text("".join(f"{line}\n" for line in mean_lines(means)))
    sign(release, **runs)
    return release


def test_the_notebook_runs_from_a_release_to_plots(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(with_two_runs(release))
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), names)
    assert names["verdict"]["status"].isin(["ok", "recomputed"]).all()
    for name in ("runs.svg", "judgments.svg", "scores.parquet", "scores.csv"):
        assert Path(name).stat().st_size > 0


def test_a_number_that_no_table_holds_is_refused(release: Path) -> None:
    (release / SCORES / "means.tsv").write_text(f"RUN-A\tAP\t1\t{10**30}\n")
    sign(release)
    with pytest.raises(scoring.InputError):
        scoring.read_release(release)


def test_a_file_that_was_changed_by_hand_is_refused(release: Path) -> None:
    judgments = release / "exports/judgments.jsonl"
    whole = judgments.read_bytes()
    for changed, said in ((whole.replace(b'"value": 1', b'"value": 0', 1), "sha256"), (whole[:100], "100 bytes")):
        judgments.write_bytes(changed)
        with pytest.raises(scoring.InputError, match=rf"exports/judgments\.jsonl: it.* {said}"):
            scoring.read_release(release)
