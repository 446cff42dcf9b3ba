"""Benchmarks: registries of any size from a seed, and what kvdocs and its peers need for them. `python -m benchmarks`."""
