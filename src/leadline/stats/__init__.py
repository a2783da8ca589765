"""Statistics over topics: tests, tiers, correlations, power, the gate."""
