"""What containers need: the install steps, the health check, what the apps of Slack and Microsoft Teams are made of."""
