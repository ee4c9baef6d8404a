"""FlatBuffers accessors, by flatc. See benchmarks/schemas/flatc.py.

Schema: 030f804fc011d859c9201e165ed9c438c9410207b8f036b572a056470285b47e
"""
