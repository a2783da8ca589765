"""What to judge next: orders, stopping rules, sessions, ledgers, projects."""
