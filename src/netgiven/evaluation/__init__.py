"""How good predictions are: splits that hide something, and measures of what was found again."""
