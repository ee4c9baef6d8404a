"""The errors of JSON readers for values of the wrong type."""

from __future__ import annotations

#: Bugs of this package could raise these Python errors as well, so they are caught only around such values.
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
