"""Frames and requests on the wire: gRPC, socket, NATS."""
