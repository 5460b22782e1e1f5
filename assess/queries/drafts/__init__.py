"""Reads of topic drafts: what they say, what was found, what they are like, how much there is to find."""
