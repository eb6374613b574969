"""A language model as a reader of rules: what it is asked, what it says, and what of it the rules' text supports."""
