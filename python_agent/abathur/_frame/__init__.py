"""A frame, and its units as columns."""
