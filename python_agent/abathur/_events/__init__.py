"""What happens along frames: unit events, events of skipped frames, numbers over time."""
