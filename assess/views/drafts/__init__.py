"""Pages of topic drafts: the author's bench, and the organiser's desk."""
