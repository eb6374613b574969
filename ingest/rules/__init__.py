"""What is read in the rules of documents at ingest, kept beside their chunks, and corrected by operators."""
