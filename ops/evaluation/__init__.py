"""How right the answers are, on questions whose answers people agreed on: `python -m ops evaluate`."""
