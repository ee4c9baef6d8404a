"""What codec benchmarks of other languages have in common: command line, frames, builds, results."""
