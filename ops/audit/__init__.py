"""What operators do with the record: check it, take it out, look at an answer."""
