"""Make the exports of a release again from its other files: recorded acts, pools, and runs.

Each module returns what the site's collectors return (`Export.collect`), from files instead of tables. It does not use
Django.
"""
