"""Codecs and the match runner behind ``abathur bench``. Large packages are imported when a codec is created."""
