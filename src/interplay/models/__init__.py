"""Who can speak: endpoints of two shapes, bots, functions, llama.cpp, scripts; a provider is one method."""
