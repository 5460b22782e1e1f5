"""Rules and writes of topic drafts."""
