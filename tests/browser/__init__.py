"""Tests in a real browser: every page, by mouse and by keyboard, and with the worst texts there are."""
