"""What Teams takes of a bot, and what it refuses. Everything raises TeamsRefusal."""
