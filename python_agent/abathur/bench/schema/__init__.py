"""What the codecs need of the protocol's messages, made from protobuf's descriptors when it is first used.

The package ``flat`` alone is generated, by flatc, and only in the repository.
"""
