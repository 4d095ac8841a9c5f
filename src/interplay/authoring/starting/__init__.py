"""What `interplay new` writes: a whole benchmark to start from, as a package, and in short as a single file."""
