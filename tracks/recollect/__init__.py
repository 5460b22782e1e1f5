"""The exports of a release made once more of its other files: what people did, what was pooled, what runs hold.

Each module gives what the collectors of the site give (`Export.collect`), of files instead of tables. No Django.
"""
