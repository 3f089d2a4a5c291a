"""What an embedding answers: why a pair is likely, how sure that is, what to look up next, where new nodes go."""
