"""Tests of the pages' server, over real HTTP."""
