"""From a prior and links to positions: objectives, rules that step, schedules, and the one training loop."""
