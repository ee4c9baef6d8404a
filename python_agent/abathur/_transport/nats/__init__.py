"""The connection that reads matches on NATS JetStream (docs/nats.md)."""
