"""How fast Leadline is beside its peers, and where its own time goes."""
