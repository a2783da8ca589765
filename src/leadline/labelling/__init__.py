"""Labels by language models: prompt, client, answers, their cache, and what it costs.

Imports from judging and above. Only client.py needs the extra `llm`.
"""
