"""What several processes share on Redis: conversation memory, claims, locks and rate limits.

Every key begins with the prefix and ends by itself; none holds an id or a text of anybody. All of it may be lost at
any moment: what must not be lost lives in the SQL store.
"""
