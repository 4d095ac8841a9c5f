"""Benchmarks of the program itself; run `python -m perf` from the root of the repository."""
