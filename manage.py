#!/usr/bin/env python
"""The site's command line: `python manage.py help` lists the commands."""

import sys

from assay_site.start import run_command

if __name__ == "__main__":
    run_command(sys.argv)
