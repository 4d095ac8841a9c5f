"""What recorded numbers are worth: judges against people, models against models, and what else moves a score."""
