"""What containers need: the install steps, the health check, the manifest of the Slack app."""
