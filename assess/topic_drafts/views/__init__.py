"""Pages about topic drafts."""
