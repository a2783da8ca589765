"""What to judge at once: depth, sampled and stratified pools."""
