"""What agents and publishing bots call."""
