"""FlatBuffers accessors, by flatc. See benchmarks/schemas/flatc.py.

Schema: 4129d3a5752a06762673e22903e0e75f239bc774b54b30f7f65f5753eba4bfda
"""
