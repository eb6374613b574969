"""`python -m ops tokens`: bearer tokens for web pages and REST."""
