"""The documentation is true: the site builds, its links hold, and what its pages say to type works."""
