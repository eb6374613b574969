"""`python -m ops curated`: approved answers, from and to files."""
