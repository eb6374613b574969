"""What the whole program answers, frozen: a developer's tool for changes that are to change nothing that is seen."""
