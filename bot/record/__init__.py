"""The record: what was asked, answered and done, each entry chained to the one before. Pure; see `ops/docs/audit.md`."""
