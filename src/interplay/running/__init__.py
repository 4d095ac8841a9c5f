"""Runs: what is to be played, how fast, with which retries; the engine around benchmarks, models and store."""
