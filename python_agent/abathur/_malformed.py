"""What readers of JSON raise where a value is not of the kind that the protocol has."""

from __future__ import annotations

#: Of Python's own errors; a bug of this package could raise them as well, so they are caught only around such values.
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
