"""Every road on which a document could come out, taken by people who may not see it."""
