"""Who computes which range of nodes. No mathematics."""
