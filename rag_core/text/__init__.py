"""Texts as they are read: what in them must not be believed."""
