"""Language models and other noisy judges: client, prompts, cache, audit."""
