"""What a conversation is: wire types, seats, forms, prompts, benchmarks. Imports no other layer."""
