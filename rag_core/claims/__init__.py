"""Whether what a policy says supports a sentence: a sentence is held against one rule at a time."""
