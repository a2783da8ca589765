"""Everything about unjudged documents: bounds, estimators, models, corrections of pooling bias."""
