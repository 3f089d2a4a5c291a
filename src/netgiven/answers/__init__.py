"""Questions about an embedding: why a pair is likely, where a new node would be, how sure a probability is."""
