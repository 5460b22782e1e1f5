"""Topics while assessors make them: a draft's text, the documents found for it, similar topics, and its outcome."""
