"""What is kept of people: how long, and how it is forgotten."""
