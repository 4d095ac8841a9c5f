"""Other programs and their files: Inspect AI, parquet, Hugging Face datasets, conversations made elsewhere."""
