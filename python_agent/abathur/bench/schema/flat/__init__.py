"""FlatBuffers accessors, by flatc. See benchmarks/schemas/flatc.py.

Schema: bf421ab6a07104a6f943d4adeb920f36b0fd8093b98a3df280be4501a9dc4a63
"""
