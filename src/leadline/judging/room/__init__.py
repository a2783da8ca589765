"""Several people at work on one session: project, ledger in a database, places, merging, exchange.

Needs SQLAlchemy, from the extra `web`; nothing else in judging imports it.
"""
