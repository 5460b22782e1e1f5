"""The scales of iKAT: CAsT's five grades for passages, relevance of statements, and the criteria for responses.

The organisers publish no scale of their own for responses. These scales have the ranges of the labels that GPT-4 gave
the responses of 2023 (relevance and completeness 0 to 3, groundedness 0 or 1, naturalness 0 to 4), so that both can be
compared.
"""

from __future__ import annotations

from assess.protocol import Criterion, scale

RELEVANCE = Criterion(
    key="relevance",
    question="How well does the passage meet the need of this turn?",
    help="Judge it as an answer to this turn of this user: with what was said before and what is known about them.",
    level="ordinal",
    grades=scale(
        ("fails to meet", "The passage is not relevant to the question. It is unrelated to the turn."),
        (
            "slightly meets",
            "The passage includes some information about the turn, but does not directly answer it. Users will find "
            "some useful information in it that may lead to the correct answer, perhaps after additional rounds of "
            "conversation (better than nothing).",
        ),
        (
            "moderately meets",
            "The passage answers the turn, but is focused on other information that is unrelated to the question. It "
            "may contain the answer, but users will need extra effort to pick the correct portion. It may be relevant, "
            "but only partially answer the turn, missing a small aspect of the context.",
        ),
        (
            "highly meets",
            "The passage answers the question and is focused on the turn. It would be a satisfactory answer if an "
            "assistant returned it in response. It may contain limited extraneous information.",
        ),
        (
            "fully meets",
            "The passage is a perfect answer for the turn. It includes all of the information needed to fully answer "
            "the turn in the context of the conversation. It focuses only on the subject and contains little extra "
            "information.",
        ),
    ),
)

PTKB = Criterion(
    key="ptkb",
    question="Does answering this turn need to take this statement about the user into account?",
    grades=scale(
        ("not relevant", "A good answer is the same whether or not the statement is true."),
        ("relevant", "A good answer to this turn depends on the statement."),
    ),
)

RESPONSE_RELEVANCE = Criterion(
    key="response_relevance",
    question="How relevant is the response to this turn?",
    help="Whether it follows from what was said before and suits this user, not how long or how well written it is.",
    level="ordinal",
    grades=scale(
        ("not relevant", "It does not follow the conversation, or is about something else."),
        ("slightly relevant", "It touches the subject, but not what this turn asks."),
        ("mostly relevant", "It follows the turn, with a part that does not, or misses what is known about the user."),
        ("fully relevant", "It follows the turn entirely and suits this user."),
    ),
)

CONCISENESS = Criterion(
    key="conciseness",
    question="How concise is the response?",
    help="It should not contain extraneous or redundant information.",
    level="ordinal",
    grades=scale(
        ("not concise", "Most of it could be left out."),
        ("slightly concise", "It repeats itself, or much of it is not needed."),
        ("mostly concise", "A sentence or some words could be left out."),
        ("fully concise", "Nothing could be left out."),
    ),
)

COMPLETENESS = Criterion(
    key="completeness",
    question="How completely does the response meet the need of this turn?",
    level="ordinal",
    setting="completeness",
    grades=scale(
        ("not complete", "It gives nothing that the turn asks for."),
        ("slightly complete", "It gives a small part of what the turn asks for."),
        ("mostly complete", "It gives most of it; something is missing."),
        ("fully complete", "It gives all that the turn asks for."),
    ),
)

GROUNDEDNESS = Criterion(
    key="groundedness",
    question="Is everything that the response says supported by the passages it rests on?",
    setting="groundedness",
    grades=scale(
        ("not grounded", "It says something that none of its passages supports."),
        ("grounded", "Its passages support all that it says."),
    ),
)

NATURALNESS = Criterion(
    key="naturalness",
    question="How natural is the response, as something said by a person?",
    level="ordinal",
    setting="naturalness",
    grades=scale(
        ("not natural", "Nobody would say this."),
        ("slightly natural", "It is hard to read or clearly put together by a machine."),
        ("moderately natural", "It can be read, but several things sound wrong."),
        ("mostly natural", "One thing sounds wrong."),
        ("fully natural", "A person could have said it."),
    ),
)

OF_RESPONSES = (RESPONSE_RELEVANCE, CONCISENESS, COMPLETENESS, GROUNDEDNESS, NATURALNESS)
