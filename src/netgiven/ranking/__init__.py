"""The likeliest pairs that are not links: among all pairs, or found without looking at them all."""
