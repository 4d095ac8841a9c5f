"""Who can speak: OpenAI-shaped endpoints, llama.cpp in this process, scripts; a provider is one method."""
