"""What results look like: cells, terminal tables, self-contained HTML."""
