"""Real runs and judgments from ../shared/data, where that folder lies beside the project."""
