"""What `DRRClassifier` composes: hold-out plans, models, and everything after the scores."""
