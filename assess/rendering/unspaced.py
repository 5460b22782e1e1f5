"""Characters of scripts written without spaces between words: Chinese, Japanese, Korean, Thai and others.

Korean has spaces, but its words carry endings that people do not type in searches, so it is treated like the others.
"""

from __future__ import annotations

import re

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3040-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\uffa0-\uffdc\U00020000-\U0003ffff"
)
"""The characters, for a character class of a regular expression. They include half-width letters and the parts of
Korean syllables.
"""

_BEGINS = re.compile(f"[{UNSPACED}]")


def is_unspaced(text: str) -> bool:
    """Return whether a text begins with a character of a script written without spaces.

    >>> is_unspaced("经济"), is_unspaced("economy")
    (True, False)
    """
    return _BEGINS.match(text) is not None
