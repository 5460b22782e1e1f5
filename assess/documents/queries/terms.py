"""The words of a question that are marked in documents."""

from __future__ import annotations

import re

from assess.topics.models import Topic

WORD = re.compile(r"\w[\w'’-]*\w|\w")
SHORTEST = 3
_COMMON_WORDS = """
 about after again all also and any are been before being but can could did does doing down each few for from get
give had has have having her here him his how into its itself just like made make many may might more most much
name names not now off once one only other our out over own people said same say says she should some such than
that the their them then there these they this those through too under until use used very was were what when where
which while who whom whose why will with would you your list find think thinks likes dislike things thing reason
reasons opinion opinions
"""
COMMON = frozenset(_COMMON_WORDS.split())


def topic_terms(topic: Topic) -> list[str]:
    """The words of the topic and of its target that say something, each once, in the order they stand.

    Common words and words of one or two letters are left out; numbers stay.
    """
    texts = [topic.text] if topic.parent is None else [topic.parent.text, topic.text]
    words = [word for text in texts for word in WORD.findall(text)]
    kept = [word for word in words if word.isdigit() or (len(word) >= SHORTEST and word.lower() not in COMMON)]
    return list({word.lower(): word for word in reversed(kept)}.values())[::-1]
