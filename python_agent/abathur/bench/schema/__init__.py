"""Generated schemas of an observation. See benchmarks/schemas/generate.py."""
