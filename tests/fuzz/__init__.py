"""An attack on every reader that stays: targets, a corpus of odd files, and who runs them."""
