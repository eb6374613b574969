"""What the running program tells of itself: logs, figures, health."""
