"""Interplay evaluates language models by letting them interact: with simulated users, with each other, with people."""

__version__ = "0.1.0"
