"""Matches on NATS JetStream: the relay that publishes them, and the connection that reads them (docs/nats.md)."""
