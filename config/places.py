"""Where the files lie that are no modules: templates, styles, guides, the demonstration campaigns."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def files_folder() -> Path:
    """The folder with `templates`, `static`, `docs` and `tests/data/tracks`: the project's own, or `assay_site` beside
    the packages where Assay was installed (`setup.py`).
    """
    return HERE if (HERE / "templates").is_dir() else HERE / "assay_site"


def usual_data_folder() -> Path:
    """Where data is kept unless a setting says otherwise: in the project; installed, where the program was begun."""
    return (HERE if (HERE / "templates").is_dir() else Path.cwd()) / "var"
