"""The last line of defence: what is secret is taken out of every line, whoever wrote it there.

`ops.redaction.log_safety` decides what may be logged at all; this finds what came through all the same.
"""
