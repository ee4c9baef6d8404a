"""Codecs and the match runner behind ``abathur bench``. Heavy packages are imported where a codec is made, not here."""
