"""What people would use otherwise: neighbourhood scores, and vectors from random walks."""
