"""Text to object and back, `RBP(p=0.8)@10`; imports no other room."""
