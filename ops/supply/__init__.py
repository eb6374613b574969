"""What the project is made of that others made: locked, licensed, listed, looked up among known vulnerabilities."""
