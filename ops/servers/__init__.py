"""Real PostgreSQL, Redis and OpenSearch on loopback, without Docker: for development, tests and measurements."""
