"""Evaluation of predictions: methods, and the harness that runs them on hidden links or labels."""
