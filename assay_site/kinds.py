"""The kinds of work that this site offers, in the order in which they are tried. ASSAY_KINDS names the list."""

from assess.kinds.grade.kind import KIND as GRADE
from assess.kinds.picks.kind import KIND as PICKS
from nuggets.classes.kind import KIND as CLASSES
from nuggets.matches.kind import KIND as MATCHES
from nuggets.votes.kind import KIND as VOTES
from nuggets.writing.kind import KIND as NUGGETS

KINDS = (GRADE, PICKS, NUGGETS, VOTES, MATCHES, CLASSES)
