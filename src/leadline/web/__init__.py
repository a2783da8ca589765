"""The judging app: pages and a JSON API over a judging project; imports from all rooms but cli.

Needs the extra `web`.
"""
