"""What the sentences of a policy do, and which of them decides a question."""
