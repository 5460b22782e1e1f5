"""The site's command line: `assay COMMAND` or `python -m assay_site COMMAND`, the same as `python manage.py
COMMAND`.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run one command of the site. If packages that it needs are not installed, say which."""
    try:
        from assay_site.start import run_command
    except ModuleNotFoundError as error:
        if error.name != "django":
            raise
        how = "pip install '.[site]' in Assay's source, or pip install 'FILE.whl[site]' of its wheel, installs them"
        print(f"The site's packages are not installed: {how}.", file=sys.stderr)
        print("Scoring alone needs none of them: assay-score --help, assay-tracks --help.", file=sys.stderr)
        sys.exit(2)
    run_command(sys.argv)


if __name__ == "__main__":
    main()
