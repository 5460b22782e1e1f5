"""The application server of an installed site: gunicorn, on the site's own packages whatever lies where it is started.

Gunicorn puts the folder that it is started in before all others on the way to modules, and an `assay_site/` or
`tracks/` of
somebody else may lie there. The packages are therefore loaded before gunicorn begins; Python is started with `-P`.
"""

from __future__ import annotations

import importlib

PACKAGES = ("assay_site", "tracks", "nuggets", "assess", "scoring")


def main() -> None:
    """Serve; the arguments are gunicorn's."""
    for name in PACKAGES:
        importlib.import_module(name)
    from gunicorn.app.wsgiapp import run

    run()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
