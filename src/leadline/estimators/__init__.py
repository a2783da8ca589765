"""One file per estimator: a gain for every unjudged document. Imports from compare and above."""
