"""Numbers in, numbers out, seeded where chance enters; may import numpy, scipy and core only."""
