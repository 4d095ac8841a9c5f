"""Bugs seeded into copies of our own source, to show that the suite catches them."""
