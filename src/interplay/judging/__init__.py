"""How verdicts are asked for and read: rubrics, forms, fences around candidates' text."""
