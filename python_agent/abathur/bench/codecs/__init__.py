"""One module per library."""
