"""The record: what was asked, answered and done, each entry chained to the one before. Pure.

What it promises, and what not: `ops/docs/audit.md`.
"""
