"""Recordings without the daemon."""
