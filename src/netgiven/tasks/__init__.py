"""What people do with an embedding."""
