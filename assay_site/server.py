"""The application server of an installed site: gunicorn, always on the site's own packages.

Gunicorn puts the folder that it is started in first on the module path, and that folder may hold somebody else's
`assay_site/` or `tracks/`. The packages are therefore loaded before gunicorn starts, and Python is started with `-P`.
"""

from __future__ import annotations

import importlib

PACKAGES = ("assay_site", "tracks", "nuggets", "assess", "scoring")


def main() -> None:
    """Serve the site. The arguments are the same as gunicorn's."""
    for name in PACKAGES:
        importlib.import_module(name)
    from gunicorn.app.wsgiapp import run

    run()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
