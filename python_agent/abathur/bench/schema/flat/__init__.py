"""FlatBuffers accessors, by flatc. See benchmarks/schemas/flatc.py.

Schema: c781bd007a33941e2da10212bbbb5d0183f553939bcf21e878961dd9b68863b3
"""
