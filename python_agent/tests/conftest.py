"""Fixtures and order of the tests: tests/system/support/fixtures.py."""

pytest_plugins = ["fixtures", "costs"]
