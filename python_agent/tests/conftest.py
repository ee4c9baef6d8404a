"""Fixtures and order of the tests: tests/system/support/harness.py."""

pytest_plugins = ["harness", "costs"]
