"""What goes into the package; who needs it and what it depends on stands in pyproject.toml.

The files that are no modules lie beside the packages in the source and in one folder, `assay_site`, where the package
is installed (`assay_site/site_folders.py`).
"""

import re
from pathlib import Path

from setuptools import find_namespace_packages, setup

PACKAGES = ("assay_site", "tracks", "nuggets", "assess", "scoring")
FILES = ("templates", "static", "locale", "docs", "tests/data/tracks")
PICTURE = re.compile(r"^(?:!\[|<table).*\n+", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)\s]+\)")


def description() -> str:
    """Return the README as a package index can show it: without pictures and links that lead into the source."""
    text = PICTURE.sub("", Path("README.md").read_text(encoding="utf-8"))
    return LINK.sub(r"\1", text)


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    packages=[
        *find_namespace_packages(include=[*PACKAGES, *(f"{name}.*" for name in PACKAGES)]),
        *(f"assay_site.{place.replace('/', '.')}" for place in FILES),
    ],
    package_dir={f"assay_site.{place.replace('/', '.')}": place for place in FILES},
    package_data={
        **{name: ["**/*.md", "**/*.toml", "py.typed"] for name in PACKAGES},
        **{f"assay_site.{place.replace('/', '.')}": ["**/*"] for place in FILES},
    },
    exclude_package_data={"assay_site.tests.data.tracks": ["*/bad/*"]},  # broken files, for tests alone: 7 MB
)
