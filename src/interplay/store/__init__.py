"""What is written down: every call before anyone reads its reply, and what conversations came to."""
