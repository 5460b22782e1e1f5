"""Where the files of Assay and those of a site are, and whether this process may begin a site.

The files of Assay are those that are not modules: templates, styles, guides, the demonstration campaigns.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def is_in_project() -> bool:
    """Return whether Assay runs from a checkout of the project rather than being installed."""
    return (HERE / "templates").is_dir()


def files_folder() -> Path:
    """Return the folder with `templates`, `static`, `docs` and `tests/data/tracks`.

    In a checkout it is the project's folder. If Assay is installed (`setup.py`), it is the folder of the package
    `assay_site`.
    """
    return HERE if is_in_project() else HERE / "assay_site"


def usual_data_folder() -> Path:
    """Return the default data folder: in the project or, if Assay is installed, in the current folder."""
    return (HERE if is_in_project() else Path.cwd()) / "var"


# Only the commands that say so begin a site, so that no other does when it is called in the wrong folder.

_begins_site = True


def begin_no_site() -> None:
    """Keep the settings from making a data folder or a secret key in this process."""
    global _begins_site  # noqa: PLW0603 - the settings are read once in a process, after this
    _begins_site = False


def begins_site() -> bool:
    """Return whether the settings may make the data folder and the secret key if these are missing."""
    return _begins_site
